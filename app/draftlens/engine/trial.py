"""Would the loader take a folder: its model class is made and every tensor matched to it, without reading a weight."""

from __future__ import annotations

import json
from typing import Any

from mlx_lm.utils import _get_classes

from draftlens.core.model import Folder
from draftlens.core.objection import Objection
from draftlens.engine import load, own_code
from draftlens.engine.loader_words import in_words


def objection(folder: Folder) -> Objection | None:
    """Why mlx-lm cannot load a folder, or cannot make the model of a lone config.json; None if it can."""
    try:
        if folder.path.is_file():
            _make(json.loads(folder.path.read_text(encoding="utf-8-sig")), folder.loads_as)
        else:
            with load.readable(folder) as clean:
                load.network(clean, folder.loads_as, lazy=True)
                if own_code.is_needed(clean):
                    return Objection(f"{own_code.REFUSAL[0].upper()}{own_code.REFUSAL[1:]}.", "tokenizer_config.json")
    except Exception as error:
        return in_words(error)
    return None


def _make(config: dict[str, Any], loads_as: str | None) -> None:
    config = config if loads_as is None else config | {"model_type": loads_as}
    model, arguments = _get_classes(config=config)
    model(arguments.from_dict(config))
