"""Tracing is off, at a level, or said to be asked for in a way that means nothing."""

from __future__ import annotations

import pytest

from draftlens.cli.trace import Trace, level


@pytest.mark.parametrize(
    ("asked", "meant"), [("debug", 3), (" INFO ", 2), ("draftlens=trace", 4), ("off", None), ("", None)]
)
def test_a_level_is_read_and_nothing_else_is_said(
    asked: str, meant: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    Trace({"DRAFTLENS_LOG": asked})
    assert level({"DRAFTLENS_LOG": asked}) == meant
    assert capsys.readouterr().err == ""


def test_a_level_that_there_is_not_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    Trace({"DRAFTLENS_LOG": "loud\x1b[2J"})
    assert capsys.readouterr().err == (
        "draftlens: DRAFTLENS_LOG='loud\\x1b[2j' is not a level, so nothing is traced. "
        "Use one of error, warn, info, debug, trace or off.\n"
    )
