"""Showing a folder in the system's file manager; where there is none that is said, with the way to go instead."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from draftlens.core.errors import UserError

FILE_MANAGER = "Finder" if sys.platform == "darwin" else "file manager"
SHOW = f"Show in {FILE_MANAGER}"


def reveal(path: Path) -> None:
    """Show a folder, or the folder that a file lies in.

    Raises:
        UserError: the system opens none.
    """
    folder = path if path.is_dir() else path.parent
    if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
        raise UserError(f"This system opened no {FILE_MANAGER} for {folder}.", "Copy the path and open it yourself.")
