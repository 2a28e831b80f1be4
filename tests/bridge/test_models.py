"""The list of models follows the disk."""

from __future__ import annotations

import threading
from pathlib import Path

from pytestqt.qtbot import QtBot

from draftlens.bridge.models import Models
from draftlens.library.catalog import Places
from library.toy_folder import model_folder


def test_a_model_that_comes_between_the_first_look_and_the_watch_is_listed(tmp_path: Path, qtbot: QtBot) -> None:
    places = Places(tmp_path / "hub", tmp_path / "own")
    places.own.mkdir()
    models = Models(lambda: places)
    models._soon.setInterval(20)
    looks: list[int] = []
    models.changed.connect(lambda: looks.append(len(models.items)))
    models.refresh()
    for thread in threading.enumerate():
        if thread.name == "models scan":
            thread.join()
    # The look is over; the watch begins when its result is taken.
    model_folder(places.own / "Late")
    qtbot.waitUntil(lambda: [item.name for item in models.items] == ["Late"])
    # The new folder is watched too, which takes one more look, and then it is quiet.
    qtbot.waitUntil(lambda: looks == [0, 1, 1] and not models._soon.isActive())
    models.close()
