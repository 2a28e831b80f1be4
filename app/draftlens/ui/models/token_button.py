"""The hub token: which one is used, by its last four characters; given once, kept in the keychain, taken away again."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QInputDialog, QLineEdit, QMenu, QPushButton, QWidget

from draftlens.bridge.background import Background
from draftlens.core.errors import UserError
from draftlens.library import hub_token
from draftlens.library.hub_token import Token


class TokenButton(QPushButton):
    """Asks the keychain only when it is pressed: that may take a moment, or ask the person."""

    changed = Signal()
    troubled = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Token…", parent)
        self.setToolTip("A token lets you fetch gated and private models")
        self._background = Background(self)
        self.clicked.connect(self.look)

    def look(self) -> None:
        """Find the token in use, then offer what can be done with it."""
        self._background.run("token", hub_token.find, self._offer, self._fail)

    def give(self) -> None:
        """Ask for a token and keep it."""
        self._give()

    def menu_for(self, token: Token | None) -> QMenu:
        """What is in use, and what can be changed."""
        menu = QMenu(self)
        words = "No token is used" if token is None else f"In use: {token.masked}, from {token.source}"
        menu.addAction(words).setEnabled(False)
        menu.addSeparator()
        menu.addAction("Give a token…", self._give)
        own = menu.addAction("Remove it from the keychain", self._remove)
        own.setEnabled(token is not None and token.source == hub_token.KEYCHAIN)
        return menu

    def _offer(self, token: Token | None) -> None:
        menu = self.menu_for(token)
        menu.exec(self.mapToGlobal(self.rect().bottomLeft()))
        menu.deleteLater()

    def _give(self) -> None:
        text, given = QInputDialog.getText(
            self, "Hub token", "The token is kept in the system’s keychain.", QLineEdit.EchoMode.Password
        )
        if given and text.strip():
            self._background.run("token", lambda: hub_token.keep(text), self._done, self._fail)

    def _remove(self) -> None:
        self._background.run("token", hub_token.forget, self._done, self._fail)

    def _fail(self, error: UserError) -> None:
        self.troubled.emit("The token was not kept", error)

    def _done(self, _: None) -> None:
        self.changed.emit()
