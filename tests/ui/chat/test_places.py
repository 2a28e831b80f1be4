"""Where turns stand is a sum of heights, and what is at a height is found without looking at all of them."""

from __future__ import annotations

from draftlens.core.chat import prompt_below
from draftlens.ui.chat.item import Item
from draftlens.ui.chat.places import Places

GAP = 16


def items(*heights: int) -> list[Item]:
    made = [Item(prompt_below(None, "Hi")) for _ in heights]
    for item, height in zip(made, heights, strict=True):
        item.height = height
    return made


def test_a_height_belongs_to_the_turn_that_stands_there() -> None:
    places = Places(20)
    places.add_up(items(84, 184, 34))
    assert places.tops == [20, 120, 320, 370]
    assert [places.at(y) for y in (0, 20, 119, 120, 369, 5000)] == [
        (0, -20), (0, 0), (0, 99), (1, 0), (2, 49), (2, 4680),
    ]  # fmt: skip
    assert places.between(0, 20) == range(0)
    assert places.between(0, 21) == range(1)
    assert places.between(119, 121) == range(2)
    assert places.between(320, 9000) == range(2, 3)


def test_a_turn_that_grows_moves_only_those_below_it() -> None:
    places = Places(20)
    grown = items(84, 184, 34)
    places.add_up(grown)
    grown[1].height = 284
    places.add_up(grown, 1)
    assert places.tops == [20, 120, 320 + 100, 370 + 100]


def test_an_empty_chat_has_nothing_anywhere() -> None:
    places = Places(20)
    places.add_up([])
    assert places.at(300) == (0, 280)
    assert places.between(0, 300) == range(0)
    assert places.bottom == 20
