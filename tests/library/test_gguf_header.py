"""The head of a GGUF file is read for what it says, and for nothing that its lengths and depths promise."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from draftlens.core.errors import UserError
from draftlens.library import checkpoint, gguf_header

HEAD = b"GGUF" + struct.pack("<IQQ", 3, 0, 1)


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is not a GGUF file"),
        (b"GGUF" + struct.pack("<III", 1, 0, 1), "damaged or cut short"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), r"a version of GGUF that cannot be read \(1\)"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 1), r"a version of GGUF that cannot be read"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), "damaged or cut short"),
        (HEAD + struct.pack("<Q", 2**62), "damaged or cut short"),
        (
            b"GGUF"
            + struct.pack("<IQQ", 3, 0, 1)
            + _text("a")
            + struct.pack("<I", 9)
            + struct.pack("<IQ", 9, 1) * 9999,
            "damaged or cut short",
        ),
    ],
)
def test_a_header_made_to_do_harm_is_a_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "x.gguf").write_bytes(content)
    with pytest.raises(UserError, match=sentence):
        gguf_header.read(tmp_path / "x.gguf")


@pytest.mark.parametrize(("name", "sentence"), [("\x1b[2J" + "x" * 5000, "is a GGUF of arch"), ("", "does not say of")])
def test_an_architecture_is_named_shortly_and_without_moving_the_cursor(
    tmp_path: Path, name: str, sentence: str
) -> None:
    entry = _text("general.architecture") + struct.pack("<I", 8) + _text(name)
    (tmp_path / "x.gguf").write_bytes(HEAD + entry)
    reason = checkpoint.inspect(tmp_path / "x.gguf").reason
    assert sentence in reason
    assert reason.isprintable()
    assert len(reason) < 250
