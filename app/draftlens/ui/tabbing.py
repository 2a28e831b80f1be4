"""One step of the Tab key in the chat: over what stands in the window now, whatever came or went since it was built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QScrollArea, QWidget

from draftlens.ui.focus_order import focus_order
from draftlens.ui.screens import CHAT

if TYPE_CHECKING:
    from draftlens.ui.chat.transcript import Transcript
    from draftlens.ui.main_window import MainWindow


def stops_now(window: MainWindow) -> list[QWidget]:
    """The fixed stops with those that come and go at their places, hidden ones included."""
    chat, toolbar, sidebar = window.chat, window.toolbar, window.sidebar
    behind: dict[QWidget, Iterable[QWidget]] = {
        toolbar.inspector: (*_buttons(window.banner), *_buttons(window.first_run)),
        chat.provenance.switch: (*chat.find_bar.stops, *_buttons(chat.empty)),
        chat.transcript: (*chat.transcript.stops, chat.transcript.pill),
        chat.composer.attach: _buttons(chat.composer.attachments),
        sidebar.list: (sidebar.toast.undo,),
    }
    fixed = focus_order(window)
    return [toolbar.sidebar, *(stop for place in fixed for stop in (place, *behind.get(place, ())))]


def follow_tab(window: MainWindow, forward: bool) -> bool:
    """Give the focus to the next stop that can take it; False where this way does not lead."""
    focus = window.focusWidget()
    if window.screens.current != CHAT or focus is None:
        return False
    transcript, stops = window.chat.transcript, stops_now(window)
    composer = window.chat.composer
    if not focus.isVisible() or (focus in (composer.stop, composer.send) and not focus.isEnabled()):
        # Nobody pressed Tab: what had the focus is gone or done. What is there to do next is to write.
        at = stops.index(composer.edit) - 1
    elif focus in stops:
        at = stops.index(focus)
    else:
        return False
    rest = [*stops[at + 1 :], *stops[:at]]
    for stop in rest if forward else reversed(rest):
        if _takes_focus(stop) and (stop is transcript or not _outside(transcript, stop)):
            stop.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
            _uncover(transcript, stop)
            return True
    return False


def _buttons(place: QWidget) -> list[QAbstractButton]:
    return [button for button in place.findChildren(QAbstractButton) if not button.objectName().startswith("qt_")]


def _takes_focus(widget: QWidget) -> bool:
    """By the system's own rule: a Mac may be set to stop at text and lists only."""
    every = QGuiApplication.styleHints().tabFocusBehavior() is Qt.TabFocusBehavior.TabFocusAllControls
    needed = Qt.FocusPolicy.TabFocus if every else Qt.FocusPolicy.StrongFocus
    return widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & needed == needed


def _outside(transcript: Transcript, stop: QWidget) -> bool:
    """Whether it belongs to a turn but is scrolled away: a long chat is left by a few steps, not by hundreds."""
    page = transcript.viewport()
    return page.isAncestorOf(stop) and not page.rect().intersects(_place(stop, page))


def _uncover(transcript: Transcript, stop: QWidget) -> None:
    """Scroll what is only partly seen into view; a text that is longer than the page stays where it is."""
    page = transcript.viewport()
    if page.isAncestorOf(stop):
        place = _place(stop, page)
        if place.height() <= page.height():
            transcript.bring(place.top(), place.height())
    above = stop.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(stop)
        above = above.parentWidget()


def _place(widget: QWidget, page: QWidget) -> QRect:
    return QRect(widget.mapTo(page, widget.rect().topLeft()), widget.size())
