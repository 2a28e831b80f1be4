"""A display is asked before a window is tried; one that does not answer is a sentence, and the reply goes elsewhere."""

from __future__ import annotations

import ctypes.util
import socket
import struct
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from draftlens import display, main

WELCOME = struct.pack("<BxHHH", 1, 11, 0, 8) + bytes(32)
"""The reply of an X server without vendor, formats and screens."""
REFUSAL = struct.pack("<BBHHH", 0, 4, 11, 0, 1) + b"no  "


@contextmanager
def x_server(reply: bytes) -> Iterator[str]:
    """A display that answers its first caller."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            caller, _ = listening.accept()
            with caller:
                caller.recv(4096)
                caller.sendall(reply)
                caller.recv(1)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1] - 6000}"
        thread.join(0.2)


def test_a_display_that_welcomes_us_answers_and_one_that_refuses_does_not() -> None:
    # Where the library that asks is not there, Qt could not open a window either.
    able = ctypes.util.find_library("xcb") is not None and sys.platform == "linux"
    with x_server(WELCOME) as name:
        assert (display.silence({"DISPLAY": name}) is None) is able
    with x_server(REFUSAL) as name:
        assert display.silence({"DISPLAY": name}) == (
            f"The display {name} does not answer, so no window can be opened on it."
        )


def test_of_two_displays_one_that_answers_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = {"DISPLAY": ":32100", "WAYLAND_DISPLAY": "w", "XDG_RUNTIME_DIR": str(tmp_path)}
    assert display.silence(named) is not None
    # The name of a socket has at most 107 bytes; the folder of a test may be longer.
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("w")
        listening.listen()
        assert display.silence(named | {"XDG_RUNTIME_DIR": ""}) is None


def test_a_dead_display_is_named_before_qt_could_abort(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    reason = main.no_window_reason({"DISPLAY": ":32100"})
    assert reason is not None
    assert reason.startswith(("The display :32100 does not answer", "The window needs "))
    assert main.no_window_reason({"DISPLAY": ":32100", "QT_QPA_PLATFORM": "offscreen"}) is None
    assert main.no_window_reason({}) == "There is no display to open a window on."
