"""How characters look: Markdown style, code colour and provenance tint together, one shared format for each mix."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QColor, QFont, QFontMetricsF, QTextBlockFormat, QTextCharFormat, QTextFormat

from draftlens.core.round import Source
from draftlens.render.document import Style
from draftlens.ui.theme import Theme

Line = QTextCharFormat.UnderlineStyle
TINTS = {
    Source.DRAFT: ("acceptedTint", "accepted", Line.NoUnderline),
    Source.RESIDUAL: ("residualTint", "residual", Line.DashUnderline),
    Source.TARGET: ("residualTint", "residual", Line.DashUnderline),
    Source.BONUS: ("bonusTint", "bonus", Line.SingleUnderline),
}
_CODE = {"kw": "codeKw", "fn": "codeFn", "num": "codeNum", "com": "codeCom", "str": "codeNum"}
_HEADINGS = {1: 20, 2: 17, 3: 15}
QUOTE = QTextFormat.Property.UserProperty.value + 1
"""Property of a quoted paragraph: where its bar stands, in pixels from the left."""


@dataclass(frozen=True, slots=True)
class Look:
    """What decides how a character looks.

    Attributes:
        kind: "body", "code", "quiet", "flag" or "heading1" to "heading6".
        source: whose tint it carries, None for none.
        lined: whether the tint's underline is drawn; not below leading space.
    """

    kind: str = "body"
    style: Style = Style.PLAIN
    color: str = ""
    link: str = ""
    source: Source | None = None
    lined: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """What decides how a paragraph stands: indents in pixels, space around it, whether it is code or a rule.

    Attributes:
        mark: what hangs before the first line; the text behind it begins where the other lines do.
        quote: where the bar of the quotation stands, None outside of one.
    """

    left: int = 0
    mark: str = ""
    above: int = 0
    quote: int | None = None
    code: bool = False
    rule: bool = False
    heading: bool = False


class Formats:
    """Makes each format once for the theme in force."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._looks: dict[Look, QTextCharFormat] = {}
        self._shapes: dict[Shape, QTextBlockFormat] = {}
        theme.changed.connect(self.clear)

    @property
    def theme(self) -> Theme:
        """The theme the formats follow."""
        return self._theme

    def clear(self) -> None:
        """Forget what the old theme made."""
        self._looks.clear()
        self._shapes.clear()

    def char(self, look: Look) -> QTextCharFormat:
        """The format of characters."""
        made = self._looks.get(look)
        if made is None:
            made = self._looks[look] = self._char(look)
        return made

    def block(self, shape: Shape) -> QTextBlockFormat:
        """The format of a paragraph."""
        made = self._shapes.get(shape)
        if made is None:
            made = self._shapes[shape] = self._block(shape)
        return made

    def _char(self, look: Look) -> QTextCharFormat:
        theme = self._theme
        made = QTextCharFormat()
        code = look.kind == "code" or Style.CODE in look.style
        font = theme.font("code" if code else "body")
        if look.kind.startswith("heading"):
            font.setPixelSize(theme.px(_HEADINGS.get(int(look.kind[7:]), 14)))
            font.setWeight(QFont.Weight.DemiBold)
        if Style.BOLD in look.style:
            font.setWeight(QFont.Weight.DemiBold)
        font.setItalic(Style.ITALIC in look.style)
        font.setStrikeOut(Style.STRIKE in look.style)
        made.setFont(font)
        if look.kind == "flag":
            font = theme.font("caption")
            font.setWeight(QFont.Weight.DemiBold)
            made.setFont(font)
            made.setForeground(theme.color("onAccent"))
            made.setBackground(theme.color("accent"))
            return made
        color = "text2" if look.kind == "quiet" else "text"
        if look.color:
            color = _CODE.get(look.color, "text")
        if look.link:
            made.setAnchor(True)
            made.setAnchorHref(look.link)
            made.setFontUnderline(True)
            color = "accentText"
        made.setForeground(theme.color(color))
        if look.source in TINTS and look.source is not None:
            tint, line, style = TINTS[look.source]
            made.setBackground(theme.color(tint))
            if look.lined and style is not Line.NoUnderline:
                made.setUnderlineStyle(style)
                made.setUnderlineColor(theme.color(line))
        elif Style.CODE in look.style and look.kind != "code":
            made.setBackground(QColor(theme.color("surface2")))
        return made

    def _block(self, shape: Shape) -> QTextBlockFormat:
        theme = self._theme
        made = QTextBlockFormat()
        if shape.heading:
            made.setLineHeight(130, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        else:
            line = theme.line("code" if shape.code else "body")
            # A formula in the line may be higher than the line.
            kind = QTextBlockFormat.LineHeightTypes
            made.setLineHeight(float(line), (kind.FixedHeight if shape.code else kind.MinimumHeight).value)
        made.setLeftMargin(theme.px(shape.left))
        if shape.mark:
            made.setTextIndent(-QFontMetricsF(theme.font("body")).horizontalAdvance(shape.mark))
        if shape.quote is not None:
            made.setProperty(QUOTE, theme.px(shape.quote))
        made.setTopMargin(theme.px(shape.above))
        if shape.rule:
            made.setProperty(made.Property.BlockTrailingHorizontalRulerWidth, 1)
            made.setBackground(theme.color("border"))
        return made
