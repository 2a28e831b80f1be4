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


def test_a_place_that_was_not_there_is_noticed_when_it_appears_and_when_it_goes(tmp_path: Path, qtbot: QtBot) -> None:
    volume = tmp_path / "volumes" / "disk"
    volume.parent.mkdir()
    places = Places(tmp_path / "no" / "hub", tmp_path / "own", added=(volume / "models",))
    models = Models(lambda: places)
    models._soon.setInterval(20)
    models.refresh()
    qtbot.waitUntil(lambda: [item.label for item in models.items] == ["Not connected"])
    model_folder(volume / "models" / "Carried")
    qtbot.waitUntil(lambda: [(item.name, item.ready) for item in models.items] == [("Carried", True)])
    volume.rename(tmp_path / "taken out")
    qtbot.waitUntil(lambda: [item.label for item in models.items] == ["Not connected"])
    models.close()
