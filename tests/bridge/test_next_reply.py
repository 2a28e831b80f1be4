"""What the chips set is what the next reply is asked to be."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from draftlens.bridge.next_reply import NextReply
from draftlens.core.params import SessionParams
from draftlens.core.rules import RuleId


def test_speculation_off_is_the_drafter_that_proposes_nothing_and_is_taken_back(qtbot: QtBot) -> None:
    following = NextReply(SessionParams(drafter="prompt-lookup"))
    with qtbot.waitSignal(following.changed):
        following.set_speculation(False)
    assert following.params.drafter == "none"
    assert following.drafter == "prompt-lookup"
    following.set_speculation(True)
    assert following.params.drafter == "prompt-lookup"


def test_choosing_a_drafter_turns_speculation_on() -> None:
    following = NextReply(SessionParams(drafter="none"))
    following.set_drafter("prompt-lookup")
    assert following.params.drafter == "prompt-lookup"


def test_the_block_length_belongs_to_the_drafter_chosen() -> None:
    following = NextReply(SessionParams())
    following.set_block(6)
    following.set_drafter("prompt-lookup")
    assert following.block == 7
    following.set_block(5)
    assert (following.params.k, following.params.lookup.max_draft) == (6, 5)


def test_at_temperature_zero_the_rule_is_greedy_and_the_asked_one_is_kept() -> None:
    following = NextReply(SessionParams(rule=RuleId.STOCHASTIC))
    following.set_temperature(0)
    assert following.rule is RuleId.GREEDY_ARGMAX
    following.set_temperature(0.7)
    assert following.rule is RuleId.STOCHASTIC


def test_nothing_is_announced_when_nothing_changes(qtbot: QtBot) -> None:
    following = NextReply(SessionParams(seed=5))
    with qtbot.assertNotEmitted(following.changed):
        following.set_seed(5)
        following.set_rule(RuleId.SAMPLER_MATCH)
        following.set_drafter("draft-model")
