"""What is offered for a model on the hub: to fetch it, or what helps where it could not be looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QComboBox, QWidget

from draftlens.core.errors import UserError
from draftlens.library import sizes
from draftlens.library.hub_errors import HubError, Trouble
from draftlens.library.preflight import Preflight
from draftlens.ui.models.cards import ChoiceCard

_WITH_TOKEN = (Trouble.GATED, Trouble.PRIVATE, Trouble.BAD_TOKEN)


@dataclass(frozen=True)
class Ways:
    """What a card's buttons do: look again, open the model's page, give a token."""

    again: Callable[[], None]
    page: Callable[[], None]
    token: Callable[[], None]


def after_trouble(error: UserError, ways: Ways) -> list[ChoiceCard]:
    """The next step after a look that failed, with its buttons; looking again is always possible."""
    trouble = error.trouble if isinstance(error, HubError) else None
    step, again = error.next_step or "", ("Look again", ways.again)
    if trouble not in _WITH_TOKEN:
        return [ChoiceCard("", step, [again], primary=True)]
    page = [("Open its page…", ways.page)]
    return [
        ChoiceCard("", step, page if trouble is Trouble.GATED else [], primary=True),
        ChoiceCard("Give a token.", "It tells the hub who asks.", [("Give a token…", ways.token)]),
        ChoiceCard("Look again.", "Once you are let in, the hub answers.", [again]),
    ]


def to_fetch(looked: Preflight, fetch: Callable[[str | None], None]) -> list[QWidget]:
    """A card that fetches the model; where there are several GGUF files, a choice of them above it."""
    if not looked.ggufs:
        step = (f"Download {sizes.on_disk(looked.size)}", lambda: fetch(None))
        text = "It comes into the hub cache, where every other program finds it too."
        return [ChoiceCard("Fetch it.", text, [step], primary=True)]
    files = QComboBox()
    files.setAccessibleName("GGUF file")
    for file in looked.ggufs:
        files.addItem(f"{file.name} · {sizes.on_disk(file.size)}", file.name)
    text = "It comes into the hub cache; afterwards it is imported once."
    step = ("Download", lambda: fetch(files.currentData()))
    return [files, ChoiceCard("Fetch it.", text, [step], primary=True)]
