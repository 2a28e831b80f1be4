"""The menus of the Target and Drafter chips: every model that can be loaded, and what it would mean."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.ui.theme import Theme
from draftlens.ui.toolbar.chip import Chip
from draftlens.ui.toolbar.menu_row import add_row

if TYPE_CHECKING:
    from draftlens.bridge.loading import Loading
    from draftlens.bridge.pairing import Pairing


class ModelMenus(QObject):
    """Fills both menus whenever they open, and again when more is known.

    Args:
        loading: gives what loads models; asked when a menu first opens.
    """

    openTarget = Signal()
    openDrafter = Signal()
    startDemo = Signal()
    openModels = Signal()

    def __init__(
        self, theme: Theme, bridge: EngineBridge, target: Chip, drafter: Chip, loading: Callable[[], Loading]
    ) -> None:
        super().__init__(target)
        self._theme, self._bridge, self._get = theme, bridge, loading
        self._target, self._drafter = target.menu(), drafter.menu()
        self._filling = False
        self._target.aboutToShow.connect(lambda: self._fill(self._target, self._fill_target))
        self._drafter.aboutToShow.connect(self._judge)
        self._drafter.aboutToShow.connect(lambda: self._fill(self._drafter, self._fill_drafter))

    @cached_property
    def _loading(self) -> Loading:
        loading = self._get()
        loading.models.changed.connect(lambda: self._fill_again(self._target, self._fill_target))
        return loading

    @cached_property
    def _pairing(self) -> Pairing:
        """Not the pair chosen on the Models screen: what goes with the loaded target."""
        pairing = self._loading.models.new_pairing()
        pairing.changed.connect(lambda: self._fill_again(self._drafter, self._fill_drafter))
        self._loading.models.changed.connect(lambda: pairing.look_again(self._loading.models.items))
        return pairing

    def _judge(self) -> None:
        if self._filling:
            return
        self._loading.models.begin()
        target = self._loading.target
        if target is None or self._pairing.target is None or self._pairing.target.path != target.path:
            self._pairing.choose(target, suggest=False)

    def _fill(self, menu: QMenu, fill: Callable[[QMenu], None]) -> None:
        if not self._filling:
            menu.clear()
            fill(menu)

    def _fill_again(self, menu: QMenu, fill: Callable[[QMenu], None]) -> None:
        """An open menu grew: it is placed anew, so that none of it is off the screen."""
        if menu.isVisible():
            self._fill(menu, fill)
            self._filling = True
            menu.popup(menu.pos())
            self._filling = False

    def _fill_target(self, menu: QMenu) -> None:
        theme, free, loading = self._theme, self._bridge.can_load, self._loading
        models, loaded, asked = loading.models, self._bridge.loaded, self._bridge.last_load
        models.begin()
        is_demo = loaded is not None and asked is not None and asked.target is None
        demo = "SmolLM2-135M-Instruct and the small drafter made for it. Fetched once, about 93 MB."
        add_row(menu, theme, "Demo pair", demo, self.startDemo.emit, ticked=is_demo, enabled=free)
        menu.addSeparator()
        for item in models.items:
            if item.ready:
                chosen = not is_demo and loaded is not None and loaded.target.path == item.path
                words = models.in_words(item)
                choose = functools.partial(loading.load_target, item)
                add_row(menu, theme, item.name, words, choose, ticked=chosen, enabled=free)
        if not models.scanned:
            menu.addAction("Looking at the disk…").setEnabled(False)
        menu.addSeparator()
        folder = "A model folder in MLX format. It is used where it lies."
        add_row(menu, theme, "Open folder…", folder, self.openTarget.emit, enabled=free)
        menu.addAction("Models…", self.openModels.emit)

    def _fill_drafter(self, menu: QMenu) -> None:
        theme, loaded, following = self._theme, self._bridge.loaded, self._bridge.next_reply
        free = self._bridge.can_load
        kind = following.params.drafter
        model = None if loaded is None else loaded.drafter
        why = "No draft model is loaded."
        if loaded is not None and loaded.drafter_refusal is not None:
            why = loaded.drafter_refusal
        add_row(
            menu,
            theme,
            "Draft model" if model is None else f"Draft model: {model.name}",
            why if model is None else "A smaller model proposes, the target decides.",
            lambda: following.set_drafter("draft-model"),
            ticked=kind == "draft-model",
            enabled=model is not None,
        )
        lookup = "Copies what followed the last words where they occurred before. Needs no second model."
        use_lookup = functools.partial(following.set_drafter, "prompt-lookup")
        add_row(menu, theme, "Prompt lookup", lookup, use_lookup, ticked=kind == "prompt-lookup")
        none = "The target decodes alone, one token a forward."
        add_row(menu, theme, "None", none, lambda: following.set_drafter("none"), ticked=kind == "none")
        menu.addSeparator()
        target = self._pairing.target
        for pair in self._pairing.pairs:
            drafts = pair.item.ready or pair.item.verdict.role.bound_drafter
            if target is not None and drafts and (model is None or pair.item.path != model.path):
                choose = functools.partial(self._loading.load, target, pair.item)
                add_row(menu, theme, pair.item.name, pair.line, choose, enabled=free and pair.ok)
        if target is not None and not self._pairing.done:
            menu.addAction("Comparing the vocabularies…").setEnabled(False)
        menu.addSeparator()
        folder = "It must share the target’s vocabulary; that is checked."
        add_row(menu, theme, "Open draft model folder…", folder, self.openDrafter.emit, enabled=free)
        menu.addAction("Models…", self.openModels.emit)
