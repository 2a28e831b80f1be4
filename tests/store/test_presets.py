"""A preset is a name for parameters; names differ by more than their case."""

from __future__ import annotations

import pytest

from draftlens.core.errors import UserError
from draftlens.core.params import SessionParams
from draftlens.store import presets
from draftlens.store.db import Database
from draftlens.store.presets import Preset
from store.samples import PARAMS


def test_presets_are_listed_by_name_and_read_back_equal(db: Database) -> None:
    kept = [Preset("exact", SessionParams(k=0)), Preset("Poet", PARAMS, "Rhyme.")]
    for preset in reversed(kept):
        presets.save(db, preset)
    db.flush()
    assert presets.presets(db) == tuple(kept)


def test_a_preset_of_the_same_name_is_replaced_whatever_its_case(db: Database) -> None:
    presets.save(db, Preset("poet", SessionParams()))
    presets.save(db, Preset(" Poet ", PARAMS)).result(5)
    assert presets.presets(db) == (Preset("Poet", PARAMS),)
    presets.delete(db, "POET").result(5)
    assert presets.presets(db) == ()


def test_a_preset_needs_a_name(db: Database) -> None:
    with pytest.raises(UserError, match="needs a name"):
        presets.save(db, Preset("  ", PARAMS))
