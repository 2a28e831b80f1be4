"""Loading what was chosen from a list: at once where it fits in memory, and after a question in the banner if not."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from draftlens.bridge.background import Background
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.models import Models
from draftlens.bridge.state import Problem
from draftlens.core.errors import UserError
from draftlens.core.model import ModelInfo
from draftlens.library import candidates, catalog, sizes
from draftlens.library.candidates import Candidate
from draftlens.library.catalog import Installed
from draftlens.library.memory import Estimate, Fit


class Loading(QObject):
    """Owner: the window's thread."""

    begun = Signal()
    fittingAsked = Signal()

    def __init__(self, bridge: EngineBridge, models: Models, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge, self.models = bridge, models
        self._background = Background(self)
        models.troubled.connect(self.tell)

    @property
    def target(self) -> Installed | None:
        """What is loaded as target, as the list has it."""
        loaded = self._bridge.loaded
        return None if loaded is None else self._listed(loaded.target.path)

    @property
    def drafter(self) -> Installed | None:
        """What is loaded as draft model, as the list has it."""
        loaded = self._bridge.loaded
        return None if loaded is None or loaded.drafter is None else self._listed(loaded.drafter.path)

    def load(self, target: Installed, drafter: Installed | None, *, anyway: bool = False) -> None:
        """Load a pair, or a target alone."""
        bridge = self._bridge
        if not bridge.can_load:
            self.tell("A reply or a load is going on", UserError("Stop it first, then load other models."))
            return
        alone = self._estimate(target, drafter)
        if alone.fit is Fit.TOO_BIG and not anyway:
            bridge.report(self._too_big(target, drafter, alone))
            return
        beside = self._estimate(target, drafter, in_use=self._replaced(target, drafter))
        self.begun.emit()
        bridge.load(target.path, None if drafter is None else drafter.path, first_unload=beside.fit is Fit.TOO_BIG)

    def load_target(self, target: Installed) -> None:
        """Load another target; the draft model that is loaded stays if it goes with it."""
        drafter = self.drafter
        if drafter is None or drafter.path == target.path:
            self.load(target, None)
            return
        models = self.models

        def take(judged: Candidate) -> None:
            self.load(target, drafter if judged.ok else None)

        self._background.run(
            "judge",
            lambda: candidates.judge(target, drafter, models.context, models.limit),
            take,
            lambda error: self.tell(f"{target.name} was not loaded", error),
        )

    def load_folder(self, folder: Path) -> bool:
        """Load the model in a folder, if it is one that can be; return whether it is."""
        item = catalog.at(folder)
        if item.ready:
            self.load(item, None)
        return item.ready

    def tell(self, title: str, error: UserError) -> None:
        """Say what could not be done."""
        self._bridge.report(Problem(title, str(error), warning=True))

    def close(self) -> None:
        """The window closes."""
        self._background.close()

    def _estimate(self, target: Installed, drafter: Installed | None, in_use: int = 0) -> Estimate:
        models = self.models
        return candidates.pair_estimate(target, drafter, models.context, models.limit, in_use=in_use)

    def _replaced(self, target: Installed, drafter: Installed | None) -> int:
        """Bytes of what is loaded now and would be in memory twice until the new models are ready."""
        kept = {item.path for item in (target, drafter) if item is not None}
        return sum(info.weights_bytes for info in self._loaded() if info.path not in kept)

    def _loaded(self) -> list[ModelInfo]:
        loaded = self._bridge.loaded
        return [] if loaded is None else [info for info in (loaded.target, loaded.drafter) if info is not None]

    def _too_big(self, target: Installed, drafter: Installed | None, needed: Estimate) -> Problem:
        names = target.name if drafter is None else f"{target.name} with {drafter.name}"
        need, usable = (sizes.in_words(size or 0) for size in (needed.needed, needed.usable))
        return Problem(
            f"Not enough memory to load {names}",
            f"It needs about {need} at {self.models.context:,} context and {usable} can be used. Nothing was unloaded.",
            steps=(
                ("Show models that fit", self.fittingAsked.emit),
                ("Load anyway…", lambda: self.load(target, drafter, anyway=True)),
            ),
        )

    def _listed(self, path: Path) -> Installed:
        known = next((item for item in self.models.items if item.path == path), None)
        return known or catalog.at(path)
