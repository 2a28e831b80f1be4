"""Whether the display that the environment names answers: where none does, Qt would abort the process."""

from __future__ import annotations

import ctypes
import socket
from collections.abc import Mapping
from pathlib import Path


def silence(environment: Mapping[str, str]) -> str | None:
    """Say which display does not answer, of the one or two that are named; None if one does."""
    x, wayland = environment.get("DISPLAY", ""), environment.get("WAYLAND_DISPLAY", "")
    if x and _x_answers(x):
        return None
    if wayland and _wayland_answers(Path(environment.get("XDG_RUNTIME_DIR", ""), wayland)):
        return None
    return f"The display {x or wayland} does not answer, so no window can be opened on it."


def _x_answers(name: str) -> bool:
    """Ask as Qt will ask: by xcb, which knows sockets, networks and permissions."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return False
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    # Never null: a connection that failed is one with an error.
    connection = xcb.xcb_connect(name.encode(), None)
    failed = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return not failed


def _wayland_answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as ours:
        try:
            ours.connect(str(path))
        except OSError:
            return False
    return True
