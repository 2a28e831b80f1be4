"""What is written can be read, by us and by mlx; a damaged file is named, never half read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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


def _headed(path: Path, header: bytes, data: int = 64) -> Path:
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(data))
    return path


def test_a_name_that_stands_twice_in_a_header_is_refused(tmp_path: Path) -> None:
    """Readers of JSON keep the last of them, others the first: nobody can say what the file means."""
    entries = [f'"w": {{"dtype": "F32", "shape": [2], "data_offsets": [{at}, {at + 8}]}}' for at in (0, 8)]
    path = _headed(tmp_path / "x.safetensors", f"{{{', '.join(entries)}}}".encode())
    with pytest.raises(UserError, match=r"x\.safetensors names w twice in its header"):
        tensor_file.read_header(path)


ENTRY: dict[str, Any] = {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]}


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"data_offsets": [4, 12]}, "has w and other in the same place"),
        ({"data_offsets": [0, 8]}, "has w and other in the same place|has other and w in the same place"),
        ({"data_offsets": [8, 15]}, "another length for other than its type and shape ask for"),
        ({"shape": [3]}, "another length for other than its type and shape ask for"),
        ({"shape": [10**40]}, "another length for other"),
        ({"dtype": "F8_E4M3"}, "another length for other"),
        ({"data_offsets": [16, 8]}, "damaged safetensors header"),
        ({"data_offsets": [-8, 0]}, "damaged safetensors header"),
        ({"data_offsets": [8.0, 16.0]}, "damaged safetensors header"),
        ({"data_offsets": [False, True]}, "damaged safetensors header"),
        ({"data_offsets": [8, 12, 16]}, "damaged safetensors header"),
        ({"data_offsets": "08"}, "damaged safetensors header"),
        ({"shape": [float("inf")]}, "damaged safetensors header"),
        ({"shape": [float("nan")]}, "damaged safetensors header"),
        ({"shape": [-2]}, "damaged safetensors header"),
        ({"shape": "2"}, "damaged safetensors header"),
        ({"shape": [1] * 99999}, "damaged safetensors header"),
        ({"dtype": 4}, "damaged safetensors header"),
        ({"shape": [20], "data_offsets": [8, 88]}, "is cut short"),
    ],
)
def test_a_place_that_contradicts_another_is_refused(tmp_path: Path, more: dict[str, Any], sentence: str) -> None:
    header = {"w": ENTRY | {"data_offsets": [0, 8]}, "other": ENTRY | more}
    with pytest.raises(UserError, match=sentence):
        tensor_file.read_header(_headed(tmp_path / "x.safetensors", json.dumps(header).encode()))


def test_gaps_empty_tensors_and_bytes_after_the_last_do_no_harm(tmp_path: Path) -> None:
    header = {
        "w": ENTRY | {"data_offsets": [0, 8]},
        "empty": ENTRY | {"shape": [0], "data_offsets": [4, 4]},
        "other": ENTRY | {"data_offsets": [24, 32]},
        "odd": ENTRY | {"dtype": "F4", "shape": [3, 2], "data_offsets": [8, 11]},
    }
    path = _headed(tmp_path / "x.safetensors", json.dumps(header).encode())
    assert set(tensor_file.read_header(path)) == set(header)


@pytest.mark.parametrize("name", ["a\nb", "\x1b[2J", "a\0b", "\ud800", "x" * 300])
def test_a_name_no_tensor_has_is_not_repeated(tmp_path: Path, name: str) -> None:
    header = json.dumps({name: ENTRY}).encode()
    with pytest.raises(UserError, match=r"x\.safetensors has a damaged safetensors header\."):
        tensor_file.read_header(_headed(tmp_path / "x.safetensors", header))


@pytest.mark.parametrize("length", [0, 1, 3000, 99_000_000, 2**63, 2**64 - 1])
def test_a_header_length_that_is_none_is_a_sentence(tmp_path: Path, length: int) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(length.to_bytes(8, "little") + b"{}")
    with pytest.raises(UserError, match=r"is not a safetensors file|is cut short inside its header"):
        tensor_file.read_header(path)


def test_a_header_however_deep_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="damaged safetensors header"):
        tensor_file.read_header(_headed(tmp_path / "x.safetensors", b'{"a":' + b"[" * 200_000))
