"""The style sheet, generated from the colour tokens: the only place where a widget's `kind` gets its look."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Template

_RULES = Template("""
QMainWindow, QDialog, QWidget#page, QWidget#transcript { background: $bg; }
QWidget#inspector, QWidget#inspectorBody { background: $panel; }
QFrame#toolbar { background: $bg; border: 0; border-bottom: 1px solid $border; }
QFrame#provenanceBar { background: $bg; border: 0; border-bottom: 1px solid $border; }
QSplitter::handle { background: $border; }
QScrollArea { background: transparent; border: 0; }
QLabel { background: transparent; color: $text; }
QLabel[tone="2"] { color: $text2; }
QLabel[tone="3"] { color: $text3; }
QLabel[scale="small"] { font-size: 12px; }
QLabel[scale="caption"] { font-size: 11px; }
QLabel[scale="display"] { font-size: 26px; font-weight: 600; }
QLabel[scale="title"] { font-size: 15px; font-weight: 600; }
QLabel[scale="heading"] { font-size: 13px; font-weight: 600; }
QLabel[scale="metric"] { font-size: 19px; font-weight: 600; }

QLabel[kind="rule"] { background: $accentTint; color: $accentText; border-radius: 4px; padding: 3px 6px;
    font-family: "$mono"; font-size: 12px; }
QLabel[kind="ruleQuiet"] { background: $surface2; color: $text2; border-radius: 4px; padding: 2px 6px;
    font-family: "$mono"; font-size: 11px; }
QLabel[kind="off"] { background: $untestedTint; color: $untestedText; border-radius: 4px; padding: 3px 6px;
    font-family: "$mono"; font-size: 12px; }
QLabel[kind="outline"] { background: transparent; color: $text2; border: 1px solid $borderStrong; border-radius: 4px;
    padding: 2px 6px; font-size: 12px; }
QLabel[kind="badge"] { background: $untestedTint; color: $untestedText; border-radius: 4px; padding: 2px 6px;
    font-size: 11px; font-weight: 600; }
QFrame[kind="good"] { background: $acceptedTint; border: 0; border-radius: 4px; }
QFrame[kind="good"] QLabel { color: $acceptedText; font-size: 12px; font-weight: 600; }
QFrame[kind="caution"] { background: $warnTint; border: 0; border-radius: 4px; }
QFrame[kind="caution"] QLabel { color: $residualText; font-size: 12px; font-weight: 600; }
QFrame[kind="bad"] { background: $rejectedTint; border: 0; border-radius: 4px; }
QFrame[kind="bad"] QLabel { color: $rejectedText; font-size: 12px; font-weight: 600; }

QFrame[kind="tile"] { background: $surface; border: 1px solid $border; border-radius: 8px; }
QFrame[kind="tile"]:focus { border: 1px solid $accent; }
QFrame[kind="card"] { background: $surface; border: 1px solid $border; border-radius: 10px; }
QFrame[kind="cardDrop"] { background: $surface; border: 1px dashed $borderStrong; border-radius: 10px; }
QFrame[kind="cardOver"] { background: $accentTint; border: 1px dashed $accent; border-radius: 10px; }
QFrame[kind="cardIcon"] { background: $surface2; border: 0; border-radius: 6px; }
QFrame[kind="user"] { background: $surface2; border: 0; border-radius: 10px; }
QWidget#sidebar { background: $sidebar; }
QWidget#sidebar QListView { background: transparent; border: 0; outline: 0; color: $text; }
QFrame#sidebarFoot { background: transparent; border: 0; border-top: 1px solid $border; }
QFrame#tabs { background: $panel; border: 0; border-bottom: 1px solid $border; }
QFrame#dialogFoot { background: $bg; border: 0; border-top: 1px solid $border; }
QFrame[kind="segments"] { background: $hover; border: 0; border-radius: 6px; }
QToolButton[kind="segment"] { color: $text2; font-size: 12px; min-height: 20px; border: 1px solid transparent;
    border-radius: 5px; }
QToolButton[kind="segment"]:checked { background: $surface; color: $text; font-weight: 600; border-color: $border; }
QToolButton[kind="segment"]:focus, QToolButton[kind="segmentQuiet"]:focus { border: 1px solid $accent; }
QToolButton[kind="segmentQuiet"] { color: $text3; font-size: 11px; padding: 1px 5px; border-radius: 4px; }
QToolButton[kind="segmentQuiet"]:checked { background: $hover; color: $text; }
QToolButton[kind="link"] { color: $accentText; font-size: 12px; padding: 0 4px; }
QToolButton[kind="step"] { background: $surface; border: 1px solid $borderStrong; border-radius: 6px; }
QTableWidget#twin { background: transparent; border: 0; outline: 0; color: $text; font-family: "$mono";
    font-size: 11px; }
QFrame#popover { background: $surface; border: 1px solid $borderStrong; border-radius: 8px; }
QPlainTextEdit[kind="record"] { background: $surface2; color: $text2; border: 0; border-radius: 6px;
    font-family: "$mono"; font-size: 11px; padding: 4px; }
QPlainTextEdit[kind="record"]:focus { border: 1px solid $accent; }
QToolButton[kind="tab"] { color: $text2; font-size: 12px; padding: 4px; }
QToolButton[kind="tab"]:checked { background: $hover; color: $text; font-weight: 600; }
QFrame[kind="promptRow"] { background: $bg; border: 0; border-bottom: 1px solid $border; }
QFrame[kind="arm"] { background: $bg; border: 0; border-left: 1px solid $border; }
QFrame[kind="strip"] { background: $bg; border: 0; border-top: 1px solid $border; border-bottom: 1px solid $border; }
QFrame[kind="results"] { background: $panel; border: 0; }
QLabel[kind="letter"] { background: $text; color: $bg; border-radius: 4px; font-size: 12px; font-weight: 600; }
QLabel[kind="live"] { background: $accentTint; color: $accentText; border-radius: 4px; padding: 2px 6px;
    font-size: 11px; font-weight: 500; }
QLabel[kind="headroom"] { color: $accentText; font-size: 14px; font-weight: 600; }
QLabel[scale="mono"] { color: $text2; font-family: "$mono"; font-size: 12px; }
QLineEdit[kind="prompt"] { font-family: "$ui"; font-size: 14px; min-height: 30px; }
QTableView#results { background: transparent; border: 0; outline: 0; }
QFrame[kind="armFirst"] { background: $bg; border: 0; }
QToolButton#more::menu-indicator { image: none; }
QComboBox { background: $surface; color: $text; border: 1px solid $borderStrong; border-radius: 6px; min-height: 26px;
    padding: 0 10px; }
QComboBox::drop-down { border: 0; width: 22px; }
QComboBox::down-arrow { image: url("$icons/choose.svg"); width: 12px; height: 12px; }
QCheckBox { spacing: 8px; min-height: 24px; color: $text; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid $borderStrong; border-radius: 4px;
    background: $field; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent; image: url("$icons/check-on.svg"); }
QCheckBox:focus { color: $accentText; }
QComboBox:focus { border: 1px solid $accent; }
QComboBox QAbstractItemView { background: $surface; color: $text; border: 1px solid $borderStrong; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QDialog QPlainTextEdit { background: $field; color: $text; border: 1px solid $borderStrong; border-radius: 6px; }
QDialog QPlainTextEdit:focus { border: 1px solid $accent; }
QMenuBar { background: $bg; color: $text2; border-bottom: 1px solid $border; padding: 0 6px; }
QMenuBar::item { background: transparent; padding: 3px 8px; }
QMenuBar::item:selected { background: $hover; border-radius: 4px; }
QFrame#findBar { background: $bg; border: 0; border-bottom: 1px solid $border; }
QPushButton[kind="new"] { text-align: left; padding-left: 10px; min-height: 28px; font-weight: 600; }
QPushButton[kind="flat"] { text-align: left; border: 0; background: transparent; color: $text2; padding-left: 8px;
    min-height: 30px; font-weight: 400; margin: 0 8px; }
QPushButton[kind="flat"]:hover { background: $hover; border-radius: 6px; }
QPushButton[kind="flat"]:focus { color: $accentText; }
QLineEdit[kind="search"] { border: 1px solid $border; font-family: "$ui"; }
QLineEdit[kind="find"], QLineEdit[kind="title"] { font-family: "$ui"; }
QFrame[kind="toast"] { background: $surface; border: 1px solid $borderStrong; border-radius: 8px; margin: 0 10px 8px; }
QFrame[kind="file"] { background: $surface; border: 1px solid $border; border-radius: 6px; }
QLabel[kind="speculation"] { background: $accentTint; color: $accentText; border-radius: 4px; padding: 3px 6px;
    font-size: 11px; }
QLabel[kind="speculationOff"] { background: $untestedTint; color: $untestedText; border-radius: 4px; padding: 3px 6px;
    font-size: 11px; }
QFrame[kind="code"] { background: $codeBg; border: 1px solid $border; border-radius: 8px; }
QToolButton[kind="fold"] { color: $text2; font-size: 12px; padding: 2px 6px 2px 2px; border: 0; }
QLabel[kind="notice"] { background: $warnTint; color: $text; border-radius: 6px; }
QFrame[kind="log"] { background: $surface2; border: 0; border-radius: 6px; }
QFrame[kind="log"] QLabel { color: $text2; font-family: "$mono"; font-size: 11px; }
QFrame#banner { margin: 12px 24px; }
QFrame[kind="error"] { background: $errTint; border: 1px solid $rejected; border-radius: 8px; }
QFrame[kind="warning"] { background: $warnTint; border: 1px solid $residual; border-radius: 8px; }

QFrame#composer { background: $field; border: 1px solid $borderStrong; border-radius: 10px; }
QFrame#composer[active="true"] { border: 1px solid $accent; }
QFrame#composer QPlainTextEdit { background: transparent; border: 0; color: $text; font-size: 14px; }
QFrame#composer QPlainTextEdit:disabled { color: $disabled; }
QTextEdit[kind="text"] { background: transparent; border: 0; color: $text; font-size: 14px;
    selection-background-color: $selected; selection-color: $text; }

QPushButton { background: $surface; color: $text; border: 1px solid $borderStrong; border-radius: 6px;
    padding: 0 12px; min-height: 26px; font-size: 13px; font-weight: 500; }
QPushButton:hover { background: $hover; }
QPushButton:focus { border: 2px solid $accent; padding: 0 11px; min-height: 26-2px; }
QPushButton:disabled { color: $disabled; border-color: $border; background: transparent; }
QPushButton[kind="primary"] { background: $accent; color: $onAccent; border-color: $accent; }
QPushButton[kind="primary"]:hover { background: $accentHover; border-color: $accentHover; }
QPushButton[kind="primary"]:focus { border: 2px solid $drafter; }
QPushButton[kind="primary"]:disabled { background: $surface2; color: $disabled; border-color: $border; }
QPushButton[kind="pill"] { border-radius: 14px; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 6px; }
QToolButton:hover { background: $hover; }
QToolButton:checked { background: $hover; }
QToolButton:focus { border: 1px solid $accent; }

QMenu { background: $surface; border: 1px solid $borderStrong; border-radius: 8px; padding: 4px;
    menu-scrollable: 1; }
QMenu::item { padding: 6px 12px; border-radius: 4px; color: $text; }
QMenu::item:selected { background: $hover; }
QMenu::item:disabled { color: $disabled; }
QMenu::separator { height: 1px; background: $border; margin: 4px 8px; }
QToolTip { background: $surface; color: $text; border: 1px solid $borderStrong; padding: 4px 6px; font-size: 12px; }
QSpinBox, QDoubleSpinBox, QLineEdit { background: $field; color: $text; border: 1px solid $borderStrong;
    border-radius: 6px; min-height: 26px; padding: 0 8px; font-family: "$mono"; font-size: 13px;
    selection-background-color: $selected; selection-color: $text; }
QSpinBox:focus, QDoubleSpinBox:focus, QLineEdit:focus { border: 1px solid $accent; }
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button { width: 0;
    height: 0; border: 0; }
QSpinBox QLineEdit, QDoubleSpinBox QLineEdit { border: 0; min-height: 0; padding: 0 6px; background: transparent; }
QProgressBar { background: $surface2; border: 0; border-radius: 2px; max-height: 4px; min-height: 4px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }

QTreeView { background: transparent; border: 0; outline: 0; color: $text; font-family: "$mono"; font-size: 11px; }
QTreeView::item { border: 0; }
QHeaderView { background: transparent; border: 0; }
QHeaderView::section { background: $panel; color: $text3; border: 0; border-bottom: 1px solid $border;
    padding: 0 2px; font-size: 11px; font-weight: 400; }
QFrame#details { background: $panel; border: 0; border-left: 1px solid $border; }
QWidget#detailsBody { background: $panel; }
QFrame#shelf { background: $panel; border: 0; border-top: 1px solid $border; }
QFrame#pairTop, QFrame#pairVerdictBar { background: $bg; border: 0; border-bottom: 1px solid $border; }
QFrame#pairVerdictBar { background: $panel; }
QFrame[kind="refusal"] { background: $warnTint; border: 1px solid $residual; border-radius: 8px; }
QFrame[kind="choice"] { background: $surface; border: 1px solid $border; border-radius: 8px; }
QPushButton[kind="danger"] { color: $rejectedText; }
QPushButton[kind="danger"]:disabled { color: $disabled; }
QLabel[kind="fact"] { font-family: "$mono"; font-size: 11px; }
QTableView#modelTable, QListView#foundList { background: $bg; border: 0; outline: 0; color: $text; }
QTableView#modelTable QHeaderView::section { background: $bg; padding: 0 8px 0 0; }
QTableView#modelTable QHeaderView::section:first { padding-left: 20px; }
QTableView#modelTable QHeaderView::section:last { padding-left: 8px; }
QProgressBar[quiet="true"]::chunk { background: $untested; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 8px; margin: 0; }
QScrollBar::handle { background: $borderStrong; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: $untested; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
""")


def stylesheet(colors: Mapping[str, str], ui: str, mono: str, icons: str, percent: int = 100) -> str:
    """Return the style sheet for one appearance, with text at a percentage of its designed size.

    What holds text grows with it. `26-2px` is a height less a border that is thicker, which does not grow.
    """
    rules = _RULES.substitute(colors, ui=ui, mono=mono, icons=icons)
    scaled = re.compile(r"(font-size|min-height|max-height): (\d+)(?:-(\d+))?px")
    return scaled.sub(lambda m: f"{m[1]}: {round(int(m[2]) * percent / 100) - int(m[3] or 0)}px", rules)
