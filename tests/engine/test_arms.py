"""Arms on one target: each writes what it would write alone, in any schedule; weights are shared; greedy arms agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import pytest

from draftlens.core.commands import Arm, Compare, Request
from draftlens.core.errors import UserError
from draftlens.core.events import Cancelled, Differed, Failed, Finished, Loading, Prefill, ReplyEvent, RoundDone
from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.round import Emitted, FinishReason, Round, Source, Timings
from draftlens.core.rules import RuleId
from draftlens.engine.engine import MlxEngine
from draftlens.engine.exactness import first_difference
from draftlens.library.demo import DemoPair
from draftlens.library.folder import judge_folder

MESSAGES = (("user", "Name a colour."),)
WARM = SessionParams(sampling=SamplingParams(temperature=0.7), max_tokens=6, k=2, seed=11)
GREEDY = replace(WARM, sampling=SamplingParams(temperature=0))
SETTINGS = (
    replace(WARM, rule=RuleId.SAMPLER_MATCH),
    replace(WARM, rule=RuleId.STOCHASTIC, k=3),
    replace(WARM, drafter="prompt-lookup"),
)


@pytest.fixture(scope="module")
def engine(demo_pair: DemoPair) -> MlxEngine:
    """Never closed: closing ends this thread's streams, and other tests go on in this thread."""
    made = MlxEngine(judge_folder, lambda target, drafter: None)
    made.load(demo_pair.target, demo_pair.drafter, lambda event: None, lambda: False)
    return made


Events = list[ReplyEvent | Loading | Differed]


def arms_of(settings: Sequence[SessionParams], drafter: Path | None = None) -> tuple[Arm, ...]:
    return tuple(Arm(Request(i, p, MESSAGES), drafter) for i, p in enumerate(settings))


def run(engine: MlxEngine, asked: Compare, stop_after: int = 10_000) -> Events:
    events: Events = []
    engine.compare(asked, events.append, lambda: sum(isinstance(e, RoundDone) for e in events) >= stop_after)
    return events


def tokens(events: Sequence[object], run: int) -> list[int]:
    rounds = [e.round for e in events if isinstance(e, RoundDone) and e.run == run]
    return [e.token for r in rounds for e in r.emitted]


@pytest.fixture(scope="module")
def alone(engine: MlxEngine) -> list[list[int]]:
    found = []
    for params in SETTINGS:
        events: list[ReplyEvent] = []
        engine.reply(Request(0, params, MESSAGES), events.append, lambda: False)
        found.append(tokens(events, 0))
    return found


@pytest.mark.parametrize("interleaved", [True, False])
def test_an_arm_writes_what_it_writes_alone_whether_rounds_are_taken_in_turn_or_not(
    engine: MlxEngine, alone: list[list[int]], interleaved: bool
) -> None:
    events = run(engine, Compare(9, arms_of(SETTINGS), interleaved, warm_up=interleaved))
    assert [tokens(events, i) for i in range(3)] == alone
    assert [e.reason for e in events if isinstance(e, Finished)] == [FinishReason.LENGTH] * 3
    order = [e.run for e in events if isinstance(e, RoundDone)]
    assert not interleaved or order[:6] == [0, 1, 2] * 2
    assert (order == sorted(order)) is not interleaved


def test_a_stop_ends_every_arm_after_its_round_and_going_on_gives_the_same_text(
    engine: MlxEngine, alone: list[list[int]]
) -> None:
    events = run(engine, Compare(9, arms_of(SETTINGS[:2])), stop_after=4)
    assert [e.reason for e in events if isinstance(e, Finished)] == [FinishReason.STOPPED] * 2
    rest = tuple(
        Arm(
            Request(
                run=i,
                params=replace(params, max_tokens=params.max_tokens - len(tokens(events, i))),
                messages=MESSAGES,
                written=tuple(tokens(events, i)),
                first_round=sum(isinstance(e, RoundDone) and e.run == i for e in events),
            )
        )
        for i, params in enumerate(SETTINGS[:2])
    )
    more = run(engine, Compare(9, rest))
    assert [tokens(events, i) + tokens(more, i) for i in range(2)] == alone[:2]


def test_an_arm_that_cannot_run_says_so_and_the_others_go_on(engine: MlxEngine, alone: list[list[int]]) -> None:
    nowhere = replace(WARM, sampling=SamplingParams(logit_bias=((10**9, 1.0),)))
    events = run(engine, Compare(9, arms_of((SETTINGS[0], nowhere))))
    assert [e.run for e in events if isinstance(e, Failed)] == [1]
    assert tokens(events, 0) == alone[0]


def test_greedy_arms_of_any_rule_drafter_and_block_agree(engine: MlxEngine) -> None:
    settings = (
        replace(GREEDY, rule=RuleId.STOCHASTIC),
        replace(GREEDY, k=5),
        replace(GREEDY, drafter="none"),
    )
    events = run(engine, Compare(9, arms_of(settings)))
    parted = [e for e in events if isinstance(e, Differed)]
    texts = [tokens(events, i) for i in range(3)]
    assert texts[0] == texts[1] == texts[2] or all(e.explained for e in parted)
    assert all(e.round.rule is RuleId.GREEDY_ARGMAX for e in events if isinstance(e, RoundDone))


def test_where_greedy_texts_part_both_logits_are_measured_in_blocks_and_singly(engine: MlxEngine) -> None:
    loaded, _ = engine._ready()
    prompt = engine.prompt_ids(Request(0, GREEDY, MESSAGES))
    events = run(engine, Compare(9, arms_of((GREEDY, replace(GREEDY, drafter="none")))))
    first = [e.round for e in events if isinstance(e, RoundDone) and e.run == 0]
    assert first_difference(loaded, prompt, first, first) is None
    wrong = [with_token(r, 7) if r.position <= 2 < r.position + len(r.emitted) else r for r in first]
    found = first_difference(loaded, prompt, first, wrong)
    assert found is not None
    assert found.chain[0] > found.chain[1]
    assert found.blocks[0] == pytest.approx(found.chain, abs=0.05)
    assert not found.explained, "no shape of forward makes the model write a token it does not prefer"


def with_token(made: Round, token: int) -> Round:
    """The round as if its first token had been another one."""
    changed = Emitted(token, "?", Source.PLAIN, None, None)
    return replace(made, emitted=(changed, *made.emitted[1:]), timings=Timings())


def test_a_draft_model_of_an_arms_own_is_loaded_once_and_given_up_with_the_next_load(
    engine: MlxEngine, demo_pair: DemoPair, tmp_path: Path
) -> None:
    other = tmp_path / "drafter"
    other.symlink_to(demo_pair.drafter, target_is_directory=True)
    own = arms_of((replace(SETTINGS[0], max_tokens=2),), other)[0]
    asked = Compare(9, (own, replace(own, request=replace(own.request, run=1))))
    events = run(engine, asked)
    assert sum(isinstance(e, Loading) and "drafter" in e.stage for e in events) == 1
    assert tokens(events, 0) == tokens(events, 1)
    assert not [e for e in run(engine, asked) if isinstance(e, Loading)]
    engine.load(demo_pair.target, demo_pair.drafter, lambda event: None, lambda: False)
    assert [e for e in run(engine, asked) if isinstance(e, Loading)]


def test_a_folder_that_is_no_draft_model_stops_the_comparison_before_any_arm(engine: MlxEngine, tmp_path: Path) -> None:
    with pytest.raises(UserError):
        run(engine, Compare(9, arms_of((SETTINGS[0],) * 2, tmp_path)))


def test_two_arms_add_two_caches_to_the_weights_and_no_second_copy_of_them(engine: MlxEngine) -> None:
    loaded, _ = engine._ready()
    assert engine._drafter is not None
    long = (replace(WARM, max_tokens=6), replace(WARM, max_tokens=6, rule=RuleId.STOCHASTIC))
    words = (("user", "Tell me about the sea, the wind and the stars. " * 6),)
    arms = tuple(Arm(Request(i, p, words)) for i, p in enumerate(long))
    weights = loaded.info.weights_bytes + engine._drafter.info.weights_bytes
    mx.clear_cache()
    before, active = mx.get_active_memory(), 0

    def watch(event: object) -> None:
        nonlocal active
        if isinstance(event, RoundDone):
            active = max(active, mx.get_active_memory())

    engine.compare(Compare(9, arms), watch, lambda: False)
    prompt = len(engine.prompt_ids(arms[0].request))
    caches = 2 * cache_bytes(engine, prompt + 6)
    assert active - before <= caches + 0.15 * (weights + caches)


def cache_bytes(engine: MlxEngine, length: int) -> int:
    """What one arm's caches of target and draft model take at a length."""
    found = 0
    for loaded in (engine._target, engine._drafter):
        assert loaded is not None
        caches = loaded.model.make_cache()
        loaded.model.network(mx.zeros((1, length), dtype=mx.int32), cache=caches)
        mx.eval([c.state for c in caches])
        found += sum(c.nbytes for c in caches)
    return found


def test_the_chats_caches_go_for_a_comparison_unless_they_are_to_stay(engine: MlxEngine) -> None:
    short = replace(WARM, drafter="none", max_tokens=2)
    events: list[ReplyEvent] = []
    for keep in (None, True, False):
        if keep is not None:
            run(engine, Compare(9, arms_of((short,)), keep_chat=keep))
        engine.reply(Request(0, short, MESSAGES), events.append, lambda: False)
    reads = [e for e in events if isinstance(e, Prefill)]
    assert [e.cached > 0 for e in reads if e.done == e.total][-2:] == [True, False]


def test_a_stop_before_the_start_runs_nothing(engine: MlxEngine, demo_pair: DemoPair, tmp_path: Path) -> None:
    other = tmp_path / "again"
    other.symlink_to(demo_pair.drafter, target_is_directory=True)
    events: Events = []
    with pytest.raises(Cancelled):
        engine.compare(Compare(9, arms_of(SETTINGS[:1], other)), events.append, lambda: True)
    assert not [e for e in events if isinstance(e, RoundDone)]
