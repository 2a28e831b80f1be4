"""A link from a reply is opened only after its whole target was shown, and only if it is one of the web or of mail."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMessageBox, QWidget

SCHEMES = ("http", "https", "mailto")


def may_open(target: str) -> bool:
    """Whether a link may be opened at all."""
    return QUrl(target).isValid() and QUrl(target).scheme().lower() in SCHEMES


def link_box(parent: QWidget, target: str) -> QMessageBox:
    """The question."""
    box = QMessageBox(parent)
    box.setWindowTitle("Open link")
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText("Open this link outside Draftlens?")
    box.setInformativeText(target)
    opens = box.addButton("Open", QMessageBox.ButtonRole.AcceptRole)
    box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole)
    copy = box.addButton("Copy link", QMessageBox.ButtonRole.ActionRole)
    copy.clicked.connect(lambda: _copy(target))
    opens.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(target)))
    return box


def ask_link(parent: QWidget, target: str) -> None:
    """Show the target and open it if that is wanted; anything else than the web or mail is left alone."""
    if may_open(target):
        box = link_box(parent, target)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()


def _copy(target: str) -> None:
    QGuiApplication.clipboard().setText(target)
