"""What is written can be read, by us and by mlx; a damaged file is named, never half read."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from draftlens.core.errors import BugError, UserError
from draftlens.library import tensor_file
from draftlens.library.tensor_file import TensorSpec

SPECS = [TensorSpec("a", "F32", (2, 3)), TensorSpec("b", "F16", (4,))]
A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.array([1.0, -2.0, 0.5, 8.0], dtype=np.float16)


def _write(path: Path) -> None:
    tensor_file.write(path, SPECS, iter([A.tobytes(), B.tobytes()]))


def test_mlx_reads_what_we_write(tmp_path: Path) -> None:
    _write(tmp_path / "x.safetensors")
    loaded = mx.load(str(tmp_path / "x.safetensors"))
    assert isinstance(loaded, dict)
    assert np.array_equal(np.array(loaded["a"]), A)
    assert np.array_equal(np.array(loaded["b"]), B)


def test_the_header_says_where_each_tensor_lies(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    _write(path)
    header = tensor_file.read_header(path)
    assert (header["a"].dtype, header["a"].shape) == ("F32", (2, 3))
    assert path.read_bytes()[header["b"].start : header["b"].end] == B.tobytes()


def test_we_read_what_mlx_writes(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    mx.save_safetensors(str(path), {"w": mx.ones((3, 5), dtype=mx.bfloat16)})
    assert tensor_file.read_header(path)["w"].shape == (3, 5)
    assert tensor_file.read_header(path)["w"].dtype == "BF16"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "x.safetensors is empty"),
        (b"abc", "is not a safetensors file"),
        (b"<html>not found</html>", "is not a safetensors file"),
        ((500).to_bytes(8, "little") + b"{}", "is cut short inside its header"),
        ((2).to_bytes(8, "little") + b"[]", "has a damaged safetensors header"),
        ((9).to_bytes(8, "little") + b'{"a": 1} ', "has a damaged safetensors header"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "x.safetensors").write_bytes(content)
    with pytest.raises(UserError, match=sentence):
        tensor_file.read_header(tmp_path / "x.safetensors")


def test_a_file_cut_short_says_by_how_much(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    _write(path)
    whole = path.stat().st_size
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(UserError, match=f"describes {whole} bytes and the file has {whole - 5}"):
        tensor_file.read_header(path)


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file"):
        tensor_file.read_header(tmp_path / "x.safetensors")


def test_data_of_another_size_than_announced_is_a_bug(tmp_path: Path) -> None:
    with pytest.raises(BugError, match="a has 8 bytes where 24"):
        tensor_file.write(tmp_path / "x.safetensors", SPECS[:1], iter([b"12345678"]))
