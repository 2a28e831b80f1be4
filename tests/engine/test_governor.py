"""When prompt lookup drafts and pauses: the numbers of each policy."""

from __future__ import annotations

import pytest

from draftlens.core.params import LookupParams
from draftlens.engine.drafters.governor import Always, Floored, Gated, Governor, Graded, governor_for


def told(governor: Governor, *accepted: int) -> Governor:
    for count in accepted:
        governor.record(count)
    return governor


def test_graded_starts_with_the_full_block_and_an_average_of_one_gives_four() -> None:
    graded = Graded(7)
    assert graded.budget() == 7
    # 7 -> 4 -> 2.5 -> 1.75 -> 1.375 -> 1.1875; the budget is round(2 ema) + 2
    assert [told(graded, 1).budget() for _ in range(5)] == [7, 7, 6, 5, 4]


def test_graded_never_drafts_more_than_the_block_nor_less_than_one() -> None:
    assert told(Graded(1), 0, 0).budget() == 1
    assert told(Graded(5), 5, 5).budget() == 5


def test_graded_pauses_after_three_empty_rounds_for_4_8_16_32_and_32_rounds() -> None:
    graded = Graded(7)
    pauses = []
    for _ in range(5):
        told(graded, 0, 0, 0)
        length = 0
        while graded.budget() == 0:
            length += 1
        pauses.append(length)
    assert pauses == [4, 8, 16, 32, 32]


def test_one_accepted_token_starts_gradeds_count_and_pauses_afresh() -> None:
    graded = Graded(7)
    told(graded, 0, 0, 0)
    assert [graded.budget() for _ in range(4)] == [0] * 4
    told(graded, 0, 0, 1, 0, 0)
    assert graded.budget() > 0
    told(graded, 0)
    assert [graded.budget() for _ in range(5)].count(0) == 4


def test_gated_starts_narrow_and_widens_with_the_average() -> None:
    gated = Gated(7)
    assert gated.budget() == 2
    assert told(gated, 2).budget() == 7  # average 1.5
    assert told(Gated(1)).budget() == 1


def test_gated_on_probation_pauses_at_the_first_miss_and_one_token_does_not_end_probation() -> None:
    assert told(Gated(7), 0).budget() == 0
    assert told(Gated(7), 1).budget() == 2
    assert told(Gated(7), 1, 0).budget() == 0
    assert told(Gated(7), 2, 0).budget() == 2


def test_gated_off_probation_pauses_at_the_third_miss_in_a_row() -> None:
    assert told(Gated(7), 2, 0, 0).budget() == 2
    assert told(Gated(7), 2, 0, 0, 0).budget() == 0
    assert told(Gated(7), 2, 0, 0, 1, 0, 0).budget() == 2


def test_a_gated_pause_has_no_end_but_a_confirmation_which_puts_it_on_probation() -> None:
    gated = told(Gated(7), 7, 0, 0, 0)
    assert [gated.budget() for _ in range(100)] == [0] * 100
    gated.confirm()
    assert gated.budget() == 2
    assert told(gated, 0).budget() == 0


def test_a_floor_drafts_in_full_and_never_pauses_before_two_rounds() -> None:
    assert Floored(7, 4).budget() == 7
    assert told(Floored(7, 4), 0).budget() == 7
    assert told(Floored(7, 4), 0, 0).budget() == 0


def test_a_floor_pauses_only_if_average_and_latest_are_both_below_it() -> None:
    # averages 2.0 and 2.0, plus 1 is 3 < 4; the latest emits 3 < 4
    assert told(Floored(7, 4), 3, 2).budget() == 0
    # the latest round meets the floor and repays
    assert told(Floored(7, 4), 0, 3).budget() == 7
    # the average carries a low round: (1 + 7)/2 = 4, then (4 + 2)/2 = 3, plus 1 is 4
    assert told(Floored(7, 4), 7, 2).budget() == 7


def test_one_empty_round_after_a_good_average_is_forgiven_and_a_second_is_not() -> None:
    # average 4 before the empty round: at least the floor, so grace; afterwards 2, plus 1 is 3 < 4
    assert told(Floored(7, 4), 7, 0).budget() == 7
    assert told(Floored(7, 4), 7, 0, 0).budget() == 0


def test_a_partial_low_round_has_no_grace() -> None:
    # average 4, then (4 + 1)/2 = 2.5, plus 1 is 3.5 < 4
    assert told(Floored(7, 4), 7, 1).budget() == 0


def test_an_average_below_the_floor_earns_no_grace() -> None:
    # average 3.5 is below 4 although 3.5 + 1 is not
    assert told(Floored(7, 4), 6, 0).budget() == 0


def test_an_empty_round_that_is_not_the_first_low_one_has_no_grace() -> None:
    # 1 -> 4 -> 5.5 -> 6.25; 1 accepted: 3.625 (carried); then empty: 1.8, second low round in a row
    assert told(Floored(7, 4), 7, 7, 7, 1).budget() == 7
    assert told(Floored(7, 4), 7, 7, 7, 1, 0).budget() == 0


def test_a_confirmed_floor_needs_two_rounds_of_evidence_again() -> None:
    floored = told(Floored(7, 4), 0, 0)
    floored.confirm()
    assert floored.budget() == 7
    assert told(floored, 0).budget() == 7
    assert told(floored, 0).budget() == 0


def test_without_adaption_the_full_block_is_always_drafted() -> None:
    always = governor_for(LookupParams(adaptive=False, policy="gated", floor=4, max_draft=5))
    assert isinstance(always, Always)
    assert told(always, *[0] * 20).budget() == 5


@pytest.mark.parametrize(
    ("params", "kind", "shadow"),
    [
        (LookupParams(), Graded, None),
        (LookupParams(policy="gated"), Gated, 2),
        (LookupParams(policy="gated", floor=4), Floored, 7),
        (LookupParams(policy="graded", floor=4), Graded, None),
    ],
)
def test_the_policy_and_the_floor_choose_the_governor(
    params: LookupParams, kind: type[Governor], shadow: int | None
) -> None:
    governor = governor_for(params)
    assert type(governor) is kind
    assert governor.shadow == shadow
