"""The demo pair as the engine loads it, once for all tests of the engine that only read its weights."""

from __future__ import annotations

import pytest

from draftlens.engine.load import LoadedModel, load
from draftlens.library.demo import DemoPair
from draftlens.library.folder import judge_folder

Pair = tuple[LoadedModel, LoadedModel]


@pytest.fixture(scope="package")
def pair(demo_pair: DemoPair) -> Pair:
    return load(judge_folder(demo_pair.target, False)), load(judge_folder(demo_pair.drafter, True))
