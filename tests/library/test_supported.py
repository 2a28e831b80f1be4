"""What mlx-lm supports is read from its sources, and mlx-lm agrees."""

from __future__ import annotations

import pytest
from mlx_lm.utils import _get_classes

from draftlens.library import supported


@pytest.mark.parametrize("model_type", ["llama", "mistral", "qwen3_5", "gemma3_text", "lfm2", "kimi_k2", "lfm2-vl"])
def test_a_supported_type_has_a_class(model_type: str) -> None:
    assert supported.loads_as(model_type) == model_type
    assert _get_classes({"model_type": model_type})


@pytest.mark.parametrize("model_type", ["moss", "gpt_neo", "base", "cache", "", "..", "a/b", "gemma3n_text", "x_text"])
def test_an_unsupported_type_has_none(model_type: str) -> None:
    assert supported.architecture(model_type) is False


def test_a_bare_text_config_loads_as_its_wrapper() -> None:
    assert supported.loads_as("qwen3_5_text") == "qwen3_5"
    config = {"model_type": "qwen3_5", "num_hidden_layers": 3}
    _, arguments = _get_classes(config)
    assert arguments.from_dict(config).text_config["num_hidden_layers"] == 3


def test_a_type_that_is_no_text_is_unsupported() -> None:
    assert supported.architecture(7) is False
    assert supported.architecture(None) is False
