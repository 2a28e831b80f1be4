"""The pane beside the list: what the selected model is, why it is refused, what to do instead, and how we know."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from draftlens.bridge.checking import Checking
from draftlens.core.errors import UserError
from draftlens.library import bound_targets, memory, repair, sizes
from draftlens.library.catalog import Installed, Origin
from draftlens.library.hub import Found
from draftlens.library.memory import Estimate, Fit
from draftlens.library.preflight import Preflight
from draftlens.library.refusal import refusal
from draftlens.library.roles import Role, Verdict
from draftlens.ui.chat.turn_buttons import icon_button
from draftlens.ui.models import badge, found_cards
from draftlens.ui.models.cards import ChoiceCard, Evidence, RefusalPanel, wrapped
from draftlens.ui.models.check_row import CheckRow
from draftlens.ui.theme import Theme

_OTHERS_NEEDED = (Role.UNSUPPORTED, Role.EMBEDDING)


class Details(QFrame):
    """Shows an installed model or one on the hub. What is asked for is told by signals."""

    useAsked = Signal(object)
    getRepo = Signal(str)
    importAsked = Signal(object)
    resumeAsked = Signal(object)
    revealAsked = Signal(object)
    trashAsked = Signal(object)
    fetchAsked = Signal(str, object)
    checkAsked = Signal(object)
    againAsked = Signal(object, object)
    searchAsked = Signal(str)
    againLookAsked = Signal(str)
    pageAsked = Signal(str)
    tokenAsked = Signal()

    def __init__(self, theme: Theme, checking: Checking, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("details")
        self._theme, self._checking = theme, checking
        self.badge = badge.Badge(theme)
        self.title = QLabel()
        self.more = icon_button(theme, "more", "More about this model")
        self.more.clicked.connect(self._offer)
        self.where = wrapped("", tone="3", scale="small")
        self._body = QWidget()
        self._body.setObjectName("detailsBody")
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll = scroll
        self.foot = QFrame()
        self.reveal, self.trash = QPushButton("Show in file manager"), QPushButton("Move to Trash…")
        self.trash.setProperty("kind", "danger")
        theme.changed.connect(self._show_icon)
        self._show_icon()
        row = self._foot_row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self.foot)
        row.setContentsMargins(18, 12, 18, 16)
        row.addWidget(self.reveal)
        row.addStretch(1)
        row.addWidget(self.trash)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(scroll, 1)
        column.addWidget(self.foot)
        self.context = memory.DEFAULT_CONTEXT
        self._item: Installed | None = None
        self.reveal.clicked.connect(lambda: self.revealAsked.emit(self._item))
        self.trash.clicked.connect(lambda: self.trashAsked.emit(self._item))
        self.cards: list[ChoiceCard] = []
        self.panel: RefusalPanel | None = None
        self.show_nothing("Choose a model to see what it is.")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Buttons are never cut: where they do not fit side by side they stand one below the other."""
        super().resizeEvent(event)
        beside = self.reveal.sizeHint().width() + self.trash.sizeHint().width() + 48 <= self.width()
        self._foot_row.setDirection(QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom)

    def _show_icon(self) -> None:
        self.reveal.setIcon(self._theme.icon("folder", "text", 14))

    def show_nothing(self, text: str) -> None:
        """Nothing is selected."""
        self._item = None
        body = self._fresh()
        body.addWidget(wrapped(text, tone="3"))
        self._close(body, foot=False)

    def show_item(self, item: Installed, estimate: Estimate, finder: str) -> None:
        """Show an installed model."""
        self._item = item
        body = self._fresh()
        kind = item.verdict.short_quantisation
        size = sizes.on_disk(item.disk) if item.disk else ""
        self._head(body, item.name, " · ".join(filter(None, (item.owner, size, kind, item.origin))), item.verdict)
        self.badge.show_role(item.label, badge.look_of_item(item))
        self._verdict(body, item.verdict, item)
        if item.ready:
            self._memory(body, estimate)
        self._warnings(body, item.verdict.warnings)
        if self._checking.concerns(item):
            self._check(body, item)
        self._evidence(body, item.verdict)
        self.reveal.setText(finder)
        own = item.origin is not Origin.LM_STUDIO
        self.trash.setEnabled(own)
        self.trash.setToolTip("" if own else "LM Studio’s folder is only read; delete the model there")
        self._close(body, foot=not item.absent)

    def show_found(self, found: Found, looked: Preflight | UserError | None, estimate: Estimate | None) -> None:
        """Show a model on the hub: what the search said, and the verdict once it was looked at."""
        self._item = None
        body = self._fresh()
        licence = f"licence {found.licence}" if found.licence else "" if found.licence is None else "licence not stated"
        gated = "gated" if found.gated or (isinstance(looked, Preflight) and looked.listing.gated) else ""
        verdict = looked.verdict if isinstance(looked, Preflight) else Verdict(Role.CHAT, "")
        self._head(body, found.name, " · ".join(filter(None, (found.owner, licence, gated))), verdict)
        if looked is None:
            self.badge.hide()
            body.addWidget(wrapped("Looking at its config and headers…", tone="3"))
        elif isinstance(looked, UserError):
            self.badge.hide()
            body.addWidget(wrapped(looked.sentence))
            ways = found_cards.Ways(
                again=lambda: self.againLookAsked.emit(found.repo),
                page=lambda: self.pageAsked.emit(found.repo),
                token=self.tokenAsked.emit,
            )
            for card in found_cards.after_trouble(looked, ways):
                self._add(body, card)
        else:
            role = looked.verdict.role
            self.badge.show_role(badge.words_of(role), badge.look_of(role))
            self._verdict(body, looked.verdict, None)
            self._fetching(body, found, looked, estimate)
            self._evidence(body, looked.verdict)
        self._close(body, foot=False)

    def _fresh(self) -> QVBoxLayout:
        # Not deleted at once: a button of the old page may be the one that was pressed.
        old = self._scroll.takeWidget()
        self._body = QWidget()
        self._body.setObjectName("detailsBody")
        for kept in (self.badge, self.title, self.where, self.more):
            kept.setParent(self)
            kept.hide()
        self._scroll.setWidget(self._body)
        if old is not None:
            old.deleteLater()
        self.cards, self.panel = [], None
        body = QVBoxLayout(self._body)
        body.setContentsMargins(18, 16, 18, 16)
        body.setSpacing(10)
        return body

    def _head(self, body: QVBoxLayout, name: str, where: str, verdict: Verdict) -> None:
        self.title.setText(name)
        self.title.setProperty("scale", "title")
        self.title.setWordWrap(True)
        self.title.setAccessibleName(name)
        self.where.setText(where)
        line = QHBoxLayout()
        line.addWidget(self.title, 1)
        line.addWidget(self.more, 0, Qt.AlignmentFlag.AlignTop)
        body.addLayout(line)
        body.addWidget(self.where)
        body.addWidget(self.badge, 0, Qt.AlignmentFlag.AlignLeft)
        for part in (self.title, self.where, self.badge):
            part.show()
        self.more.setVisible(self._item is not None)

    def _verdict(self, body: QVBoxLayout, verdict: Verdict, item: Installed | None) -> None:
        said = refusal(verdict)
        if said is None:
            body.addWidget(wrapped(verdict.reason, tone="2"))
            if item is not None and item.ready:
                card = ChoiceCard(
                    "Chat with it.", "It becomes the target.", [("Use as target", self._use)], primary=True
                )
                self._add(body, card)
            elif verdict.role is Role.GGUF and item is not None:
                text = "What 4 or 8 bits hold exactly is kept, the rest becomes float. The file stays where it is."
                step = ("Import", lambda: self.importAsked.emit(item))
                self._add(body, ChoiceCard("Import it once.", text, [step], primary=True))
            return
        self.panel = RefusalPanel(self._theme, said)
        body.addWidget(self.panel)
        cards = self._instead(verdict, item, said.next)
        if cards:
            body.addSpacing(4)
            body.addWidget(wrapped("What to do instead", scale="heading"))
            for card in cards:
                self._add(body, card)

    def _instead(self, verdict: Verdict, item: Installed | None, step: str) -> list[ChoiceCard]:
        if verdict.role.bound_drafter:
            return self._for_drafter(verdict, self.title.text())
        if item is not None and item.unfinished:
            resume = ("Resume the download", lambda: self.resumeAsked.emit(item))
            return [ChoiceCard("Go on where it stopped.", "What is on disk is kept.", [resume], primary=True)]
        if item is not None and item.repo and verdict.role is Role.INCOMPLETE:
            again = (f"Get {item.name}", lambda: self.getRepo.emit(item.repo))
            return [ChoiceCard("Fetch what is missing.", "Files that are whole are not fetched again.", [again])]
        browse = [("Browse the hub", lambda: self.searchAsked.emit(""))] if verdict.role in _OTHERS_NEEDED else []
        return [ChoiceCard("", step, browse)] if step else []

    def _for_drafter(self, verdict: Verdict, drafter: str) -> list[ChoiceCard]:
        target = verdict.target
        words = bound_targets.search_words(drafter, target)
        name = target.name if target is not None else "your target"
        if target is None:
            text = "Its files do not say which model it was made for."
            get = (f"Search for {words}", lambda: self.searchAsked.emit(words))
        else:
            text, repo, said = f"{name} is the complete model it was made for.", target.repo, name
            get = (f"Get {name}", lambda: self.getRepo.emit(repo) if repo else self.searchAsked.emit(said))
        find = (f"Find drafters for {name}", lambda: self.searchAsked.emit(words))
        like = f"Any model with the same vocabulary as {name} will do."
        return [
            ChoiceCard("Draft with a small full model.", like, [find], primary=True),
            ChoiceCard("Get its target.", text, [get]),
        ]

    def _fetching(self, body: QVBoxLayout, found: Found, looked: Preflight, estimate: Estimate | None) -> None:
        role = looked.verdict.role
        if not (role.standalone or looked.ggufs):
            body.addWidget(wrapped("Nothing of it was downloaded.", tone="3"))
            return
        if estimate is not None and role.standalone:
            self._memory(body, estimate)
        for part in found_cards.to_fetch(looked, lambda file: self.fetchAsked.emit(found.repo, file)):
            if isinstance(part, ChoiceCard):
                self._add(body, part)
            else:
                body.addWidget(part)

    def _memory(self, body: QVBoxLayout, estimate: Estimate) -> None:
        words = {
            Fit.FITS: "It fits in memory",
            Fit.TIGHT: "It fits, but tightly",
            Fit.TOO_BIG: "It is too big for this computer",
            Fit.UNKNOWN: "There is no estimate of the memory it needs",
        }[estimate.fit]
        if estimate.needed is not None and estimate.usable is not None:
            words += f": {sizes.of_gigabytes(estimate.needed, estimate.usable)} at {self.context:,} context"
        body.addWidget(wrapped(f"{words}.", tone="2"))

    def menu(self) -> QMenu:
        """What can be done with the installed model that is shown."""
        menu, item = QMenu(self), self._item
        if item is not None:
            check = menu.addAction("Check files", lambda: self.checkAsked.emit(item))
            check.setEnabled(repair.can_check(item))
            check.setToolTip("Holds every file against the hub’s hash; only files from the hub have one.")
            menu.setToolTipsVisible(True)
            menu.addAction("Copy path", lambda: QGuiApplication.clipboard().setText(str(item.path)))
            menu.addSeparator()
            menu.addAction(self.reveal.text(), self.reveal.click)
            menu.addAction(self.trash.text(), self.trash.click).setEnabled(self.trash.isEnabled())
        return menu

    def _offer(self) -> None:
        menu = self.menu()
        menu.exec(self.more.mapToGlobal(self.more.rect().bottomLeft()))
        menu.deleteLater()

    def _check(self, body: QVBoxLayout, item: Installed) -> None:
        body.addWidget(CheckRow(self._checking))
        found = self._checking.found
        if found is not None and found.damaged:
            names = found.damaged
            count = "this file" if len(names) == 1 else f"these {len(names)} files"
            step = (f"Fetch {count} again", lambda: self.againAsked.emit(item, names))
            self._add(body, ChoiceCard("Mend it.", "Files that are whole are not fetched again.", [step], primary=True))

    def _warnings(self, body: QVBoxLayout, warnings: Sequence[str]) -> None:
        for warning in warnings:
            body.addWidget(wrapped(f"Note: {warning}.", tone="2", scale="small"))

    def _evidence(self, body: QVBoxLayout, verdict: Verdict) -> None:
        facts = verdict.facts or tuple((line, "") for line in verdict.evidence)
        if facts:
            body.addSpacing(4)
            body.addWidget(wrapped("How we know", scale="heading"))
            body.addWidget(Evidence(self._theme, facts))

    def _add(self, body: QVBoxLayout, card: ChoiceCard) -> None:
        self.cards.append(card)
        body.addWidget(card)

    def _use(self) -> None:
        self.useAsked.emit(self._item)

    def _close(self, body: QVBoxLayout, *, foot: bool) -> None:
        body.addStretch(1)
        self.foot.setVisible(foot)
