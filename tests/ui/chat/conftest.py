"""A transcript on its own."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from draftlens.ui.theme import Theme
from ui.chat.scene import Scene


@pytest.fixture
def scene(theme: Theme, qtbot: QtBot) -> Scene:
    return Scene(theme, qtbot)
