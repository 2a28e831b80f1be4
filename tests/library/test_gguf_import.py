"""A GGUF file becomes a folder that loads, or leaves nothing behind and says why."""

from __future__ import annotations

import json
from pathlib import Path

import gguf
import mlx.core as mx
import numpy as np
import pytest
from gguf import GGMLQuantizationType as Kind
from mlx_lm.utils import load_model

from draftlens import paths
from draftlens.core.errors import UserError
from draftlens.library import checkpoint, gguf_import, staging, tensor_file
from draftlens.library.gguf_pack import Keep
from draftlens.library.roles import Role
from library.toy_gguf import Toy, permuted


def quiet(sentence: str, fraction: float | None) -> None:
    """Nobody watches."""


def quantised(kind: Kind) -> Toy:
    """A toy whose matrices are stored in a block type, q and k in the container's own row order."""
    toy = Toy()
    for stored, (name, heads) in {
        "blk.0.attn_q.weight": ("model.layers.0.self_attn.q_proj.weight", 4),
        "blk.0.attn_k.weight": ("model.layers.0.self_attn.k_proj.weight", 2),
        "blk.1.ffn_up.weight": ("model.layers.1.mlp.up_proj.weight", 0),
    }.items():
        values = toy.weights()[name]
        values = permuted(values, heads) if heads else values
        toy.raw[stored] = (gguf.quants.quantize(values, kind), kind)
    return toy


def logits(folder: Path) -> np.ndarray:
    model = load_model(folder)[0]
    return np.array(model(mx.array([[3, 40, 77, 120, 5, 9]]))[0].astype(mx.float32))


@pytest.mark.parametrize(("kind", "bits"), [(Kind.Q4_0, 4), (Kind.Q4_1, 4), (Kind.Q8_0, 8)])
def test_what_4_or_8_bits_hold_is_kept_and_computes_the_same(tmp_path: Path, kind: Kind, bits: int) -> None:
    source = quantised(kind).write(tmp_path / "toy.gguf")
    kept = gguf_import.import_file(source, "kept", Keep.AUTO, quiet, "F32")
    plain = gguf_import.import_file(source, "plain", Keep.FLOAT, quiet, "F32")
    assert json.loads((kept / "config.json").read_text())["quantization"] == {"bits": bits, "group_size": 32}
    assert tensor_file.read_header(kept / "model.safetensors")["model.layers.1.mlp.up_proj.weight"].dtype == "U32"
    assert checkpoint.inspect(kept).role is Role.CHAT
    assert np.abs(logits(kept) - logits(plain)).max() < 1e-4


def test_two_widths_in_one_file_are_kept_side_by_side(tmp_path: Path) -> None:
    toy = quantised(Kind.Q4_0)
    values = toy.weights()["model.layers.0.mlp.down_proj.weight"]
    toy.raw["blk.0.ffn_down.weight"] = (gguf.quants.quantize(values, Kind.Q8_0), Kind.Q8_0)
    source = toy.write(tmp_path / "toy.gguf")
    kept = gguf_import.import_file(source, "kept", Keep.AUTO, quiet, "F32")
    entry = json.loads((kept / "config.json").read_text())["quantization"]
    assert entry["model.layers.0.mlp.down_proj"] == {"bits": 8, "group_size": 32}
    plain = gguf_import.import_file(source, "plain", Keep.FLOAT, quiet, "F32")
    assert np.abs(logits(kept) - logits(plain)).max() < 1e-4


@pytest.mark.parametrize(("keep", "bits"), [(Keep.FOUR, 4), (Keep.EIGHT, 8)])
def test_asked_for_bits_are_made(tmp_path: Path, keep: Keep, bits: int) -> None:
    source = Toy().write(tmp_path / "toy.gguf")
    made = gguf_import.import_file(source, "made", keep, quiet, "F32")
    entry = json.loads((made / "config.json").read_text())["quantization"]
    assert (entry["bits"], entry["group_size"]) == (bits, 64)
    plain = gguf_import.import_file(source, "plain", Keep.FLOAT, quiet, "F32")
    assert np.corrcoef(logits(made).ravel(), logits(plain).ravel())[0, 1] > (0.8 if bits == 4 else 0.99)


@pytest.mark.parametrize(("keep", "dtype"), [(keep, dtype) for keep in Keep for dtype in ("F16", "F32")])
def test_the_space_that_is_asked_for_is_what_the_weights_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: Keep, dtype: str
) -> None:
    """A K-quant grows many times, a Q8_0 not at all: a guess from the file's size would be wrong for one of them."""
    toy = quantised(Kind.Q8_0)
    asked: list[int] = []
    monkeypatch.setattr(staging, "require_space", lambda folder, needed, name: asked.append(needed))
    made = gguf_import.import_file(toy.write(tmp_path / "toy.gguf"), "made", keep, quiet, dtype)
    weights = (made / "model.safetensors").stat().st_size
    assert weights < asked[0] < weights + gguf_import._MARGIN


def test_a_full_disk_is_said_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Toy().write(tmp_path / "toy.gguf")
    monkeypatch.setattr(gguf_import, "_MARGIN", 10**18)
    said: list[str] = []
    with pytest.raises(UserError, match="made"):
        gguf_import.import_file(source, "made", Keep.AUTO, lambda sentence, fraction: said.append(sentence))
    assert said == ["Reading the GGUF header"]
    assert [path for path in paths.models_dir().iterdir() if path.suffix != ".lock"] == []


def test_an_interrupted_import_leaves_nothing(tmp_path: Path) -> None:
    source = Toy().write(tmp_path / "toy.gguf")

    def interrupted(sentence: str, fraction: float | None) -> None:
        if fraction is not None and fraction > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gguf_import.import_file(source, None, Keep.AUTO, interrupted)
    left = [path for path in paths.models_dir().iterdir() if path.suffix != ".lock"]
    assert left == []


def test_a_name_that_is_taken_is_refused_and_left_alone(tmp_path: Path) -> None:
    source = Toy().write(tmp_path / "toy.gguf")
    first = gguf_import.import_file(source, None, Keep.AUTO, quiet)
    before = (first / "config.json").read_bytes()
    with pytest.raises(UserError, match="is there already"):
        gguf_import.import_file(source, None, Keep.AUTO, quiet)
    assert (first / "config.json").read_bytes() == before


@pytest.mark.parametrize("change", [{"general.architecture": "rwkv7"}, {"tokenizer.ggml.model": "rwkv"}])
def test_what_is_unknown_is_refused_by_name_before_anything_is_written(tmp_path: Path, change: dict[str, str]) -> None:
    toy = Toy(architecture=change.get("general.architecture", "llama"), metadata=change)
    source = toy.write(tmp_path / "toy.gguf")
    with pytest.raises(UserError, match="'rwkv"):
        gguf_import.import_file(source, "x", Keep.AUTO, quiet)
    assert not (paths.models_dir() / "x").exists()
