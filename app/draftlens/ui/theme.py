"""Colours, fonts and icons, all from the design tokens; follows the system's appearance while the window is open."""

from __future__ import annotations

import json
import os
import sys
from functools import cache
from typing import Any, Literal

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from draftlens import paths
from draftlens.ui.stylesheet import stylesheet

APPEARANCE_VARIABLE = "DRAFTLENS_APPEARANCE"
"""`light` or `dark` overrides the system's appearance."""

Appearance = Literal["light", "dark"]


@cache
def tokens() -> dict[str, Any]:
    """The design tokens as they are shipped."""
    text = (paths.resources() / "design-tokens.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@cache
def _family(kind: Literal["ui", "mono"]) -> str:
    """The system's own font on a Mac; elsewhere the first of the tokens' families that is there, or the system's."""
    system = QFontDatabase.SystemFont.GeneralFont if kind == "ui" else QFontDatabase.SystemFont.FixedFont
    if sys.platform != "darwin":
        for name in tokens()["type"]["family"][kind]:
            if QFontDatabase.hasFamily(name):
                return str(name)
    return QFontDatabase.systemFont(system).family()


class Theme(QObject):
    """The appearance in force. Painted widgets ask it for colours and repaint on `changed`."""

    changed = Signal()

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        wanted = os.environ.get(APPEARANCE_VARIABLE, "").strip().lower()
        self._environment: Appearance | None = "dark" if wanted == "dark" else "light" if wanted == "light" else None
        self._override: Appearance | None = None
        self._appearance: Appearance = self._current()
        self._percent = 100
        self._icons: dict[tuple[str, str, int, Appearance], QIcon] = {}
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow)

    @property
    def appearance(self) -> Appearance:
        """Light or dark."""
        return self._appearance

    def set_override(self, appearance: Appearance | None) -> None:
        """Fix the appearance, or follow the environment or else the system again."""
        self._override = appearance
        self._follow()

    @property
    def percent(self) -> int:
        """The text size, 100 as designed."""
        return self._percent

    def set_percent(self, percent: int) -> None:
        """Make all text larger or smaller."""
        if percent != self._percent:
            self._percent = percent
            self.apply()
            self.changed.emit()

    def px(self, length: float) -> int:
        """A length that grows with the text."""
        return round(length * self._percent / 100)

    def line(self, size: str) -> int:
        """The height of a line of the type scale."""
        return self.px(tokens()["type"]["sizes"][size]["line"])

    def apply(self) -> None:
        """Style the whole application."""
        self._app.setStyle("Fusion")
        self._app.setFont(self.font("ui"))
        self._app.setPalette(self._palette())
        icons = (paths.resources() / "icons").as_posix()
        self._app.setStyleSheet(stylesheet(self._colors(), _family("ui"), _family("mono"), icons, self._percent))

    def color(self, name: str) -> QColor:
        """A colour token in the appearance in force."""
        return QColor(self._colors()[name])

    def font(self, size: str) -> QFont:
        """A font from the type scale."""
        token = tokens()["type"]["sizes"][size]
        mono = token.get("family") == "mono"
        font = QFont(_family("mono" if mono else "ui"))
        if mono:
            # Code is shown character by character: no arrow for "<=".
            for feature in ("calt", "liga"):
                font.setFeature(QFont.Tag(feature), 0)
        font.setPixelSize(max(9, self.px(token["px"])))
        font.setWeight(QFont.Weight(token["weight"]))
        # Unhinted glyphs keep the widths the sizes were designed with.
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        if token.get("features") == "tabular figures":
            font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def icon(self, name: str, color: str = "text2", size: int = 16) -> QIcon:
        """A shipped icon tinted with a colour token, greyed when disabled."""
        key = (name, color, size, self._appearance)
        if key not in self._icons:
            icon = QIcon()
            for mode, token in ((QIcon.Mode.Normal, color), (QIcon.Mode.Disabled, "disabled")):
                for ratio in (1, 2):
                    icon.addPixmap(self._pixmap(name, token, size, ratio), mode)
            self._icons[key] = icon
        return self._icons[key]

    def pixmap(self, name: str, color: str, size: int = 16) -> QPixmap:
        """A tinted icon for a label, sharp on any screen."""
        return self._pixmap(name, color, size, 2)

    def _pixmap(self, name: str, color: str, size: int, ratio: int) -> QPixmap:
        svg = _svg(name).replace("currentColor", self._colors()[color])
        pixmap = QPixmap(QSize(size, size) * ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, size * ratio, size * ratio))
        painter.end()
        pixmap.setDevicePixelRatio(ratio)
        return pixmap

    def _colors(self) -> dict[str, str]:
        colors: dict[str, str] = tokens()["themes"][self._appearance]["colors"]
        return colors

    def _current(self) -> Appearance:
        fixed = self._override or self._environment
        if fixed is not None:
            return fixed
        dark = QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
        return "dark" if dark else "light"

    def _follow(self) -> None:
        appearance = self._current()
        if appearance != self._appearance:
            self._appearance = appearance
            self.apply()
            self.changed.emit()

    def _palette(self) -> QPalette:
        palette = QPalette()
        role = QPalette.ColorRole
        for target, name in (
            (role.Window, "bg"),
            (role.WindowText, "text"),
            (role.Base, "field"),
            (role.AlternateBase, "surface2"),
            (role.Text, "text"),
            (role.Button, "surface"),
            (role.ButtonText, "text"),
            (role.ToolTipBase, "surface"),
            (role.ToolTipText, "text"),
            (role.PlaceholderText, "text3"),
            (role.Highlight, "selected"),
            (role.HighlightedText, "text"),
            (role.Link, "accentText"),
        ):
            palette.setColor(target, self.color(name))
        for target in (role.WindowText, role.Text, role.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, target, self.color("disabled"))
        return palette


@cache
def _svg(name: str) -> str:
    return (paths.resources() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
