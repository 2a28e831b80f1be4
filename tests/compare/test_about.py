"""Where a comparison ran is kept, and it goes on nowhere else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from draftlens.compare.about import about, check_models
from draftlens.core.errors import UserError
from draftlens.core.events import Loaded
from fakes import model

LOADED = Loaded(model("big"), model("small"))


def test_versions_machine_and_models_are_kept() -> None:
    kept = about(LOADED, 8)
    assert all(kept["versions"][name] for name in ("draftlens", "mlx", "mlx-lm", "python"))
    assert kept["machine"]["cores"] >= 1 and kept["machine"]["memory_bytes"] > 1 << 28
    assert kept["machine"]["processor"]
    assert kept["models"]["target"]["name"] == "big"
    assert kept["warm_up_tokens"] == 8


def test_a_comparison_goes_on_with_its_own_models_only() -> None:
    kept = about(LOADED, 8)
    check_models(kept, LOADED)
    check_models({}, LOADED)
    with pytest.raises(UserError, match="was run with big, and other is loaded"):
        check_models(kept, replace(LOADED, target=model("other")))
    with pytest.raises(UserError, match="was run with small, and no draft model is loaded"):
        check_models(kept, replace(LOADED, drafter=None))
    check_models(about(replace(LOADED, drafter=None), 8), LOADED)
