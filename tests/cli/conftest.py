"""The command line as a person calls it, on one loaded pair: every run goes through main's own composition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest

from draftlens import main
from draftlens.cli import run_cli
from draftlens.core.engine import Engine
from draftlens.library.demo import DemoPair


@dataclass(frozen=True)
class Ran:
    """What a call left behind."""

    code: int
    out: str
    err: str


Call = Callable[..., Ran]


class KeptOpen:
    """The real engine, whose models stay loaded between two calls of a test run."""

    def __init__(self, engine: Engine) -> None:
        self.load = engine.load
        self.unload = engine.unload
        self.reply = engine.reply
        self.compare = engine.compare
        self.prove = engine.prove
        self.count = engine.count

    def close(self) -> None:
        """Stay open."""


@pytest.fixture(scope="session")
def engine(demo_pair: DemoPair) -> Iterator[Engine]:
    opened = main.open_engine()
    yield KeptOpen(opened)
    opened.close()


@pytest.fixture
def call(engine: Engine, demo_pair: DemoPair, capfd: pytest.CaptureFixture[str]) -> Call:
    """Run the command line and return exit code, standard output and standard error."""
    rooms = replace(
        main.rooms(),
        open_engine=lambda: engine,
        demo_pair=lambda report, cancelled: (demo_pair.target, demo_pair.drafter),
    )

    def run(*arguments: str) -> Ran:
        capfd.readouterr()
        code = run_cli(arguments, rooms)
        captured = capfd.readouterr()
        return Ran(code, captured.out, captured.err)

    return run
