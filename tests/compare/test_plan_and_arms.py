"""What can be asked: arms in words, trials in order, and a sentence for everything that cannot be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from compare.made import BASE, arms
from draftlens.compare.arms import ArmSettings, parse_arm
from draftlens.compare.plan import Plan, Prompt, seeds_from
from draftlens.compare.prompts import read_prompts
from draftlens.core.errors import UserError
from draftlens.core.params import SamplingParams
from draftlens.core.rules import RuleId

PROMPT = (Prompt(raw="x"),)
GREEDY = replace(BASE, sampling=SamplingParams(temperature=0))


def test_an_arm_sets_what_it_names_and_leaves_the_rest() -> None:
    arm = parse_arm("rule=stochastic, k=6,temp=1.2,top-k=40", BASE)
    assert (arm.params.rule, arm.params.k, arm.draft_model) == (RuleId.STOCHASTIC, 6, None)
    assert arm.params.sampling == replace(BASE.sampling, temperature=1.2, top_k=40)
    assert arm.params.max_tokens == BASE.max_tokens
    assert arm.words(BASE) == "stochastic, k = 6, temp 1.2, top-k 40"


def test_an_arm_may_have_a_draft_model_or_lookup_of_its_own() -> None:
    own = parse_arm("draft-model=/models/d", replace(BASE, drafter="prompt-lookup"))
    assert (own.params.drafter, own.draft_model) == ("draft-model", Path("/models/d"))
    looks = parse_arm("drafter=prompt-lookup,k=9", BASE)
    assert (looks.params.lookup.max_draft, looks.block) == (9, 9)
    assert parse_arm("drafter=none", BASE).block == 0


def test_greedy_argmax_can_be_named_at_temperature_0_only() -> None:
    assert parse_arm("rule=greedy-argmax", GREEDY).rule is RuleId.GREEDY_ARGMAX
    assert parse_arm("rule=greedy-argmax,temp=0", BASE).rule is RuleId.GREEDY_ARGMAX
    with pytest.raises(UserError, match="needs temperature 0"):
        parse_arm("rule=greedy-argmax", BASE)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "an empty part is not written as name=value"),
        ("stochastic", "stochastic is not written as name=value"),
        ("rule=", "rule= is not written"),
        ("colour=red", "colour is not known"),
        ("k=4,k=5", "k is set twice"),
        ("k=four", "must be a whole number"),
        ("k=65", "must be a whole number of at least 0 and at most 64"),
        ("temp=hot", "must be a number"),
        ("temp=-1", "must be a number at least 0"),
        ("rule=magic", "rule magic is not known"),
        ("drafter=elf", "drafter elf is not known"),
        ("drafter=none,draft-model=x", "contradict each other"),
        ("rule=stochastic,,k=2", "an empty part"),
    ],
)
def test_a_wrong_arm_is_quoted_with_what_is_wrong(text: str, problem: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_arm(text, BASE)
    assert caught.value.sentence.startswith(f"--arm {text}: ")
    assert problem in caught.value.sentence


def test_every_prompt_comes_at_every_seed_and_the_first_arm_changes() -> None:
    plan = Plan(arms(), (Prompt(raw="a"), Prompt(raw="b")), (7, 8))
    trials = list(plan.trials)
    assert [(t.index, t.prompt, t.seed) for t in trials] == [(0, 0, 7), (1, 1, 7), (2, 0, 8), (3, 1, 8)]
    assert [plan.order(t) for t in trials] == [(0, 1), (1, 0), (0, 1), (1, 0)]
    four = Plan((*arms(), *arms()), PROMPT, seeds_from(0, 4))
    assert sorted(four.order(t)[0] for t in four.trials) == [0, 1, 2, 3]


def test_the_seed_of_a_trial_is_the_seed_of_every_arm_and_closed_forms_are_on() -> None:
    plan = Plan(tuple(ArmSettings(replace(a.params, closed_forms=False)) for a in arms()), PROMPT, (3,))
    params = [plan.params(next(plan.trials), arm) for arm in range(2)]
    assert [(p.seed, p.closed_forms) for p in params] == [(3, True)] * 2


@pytest.mark.parametrize(
    ("count", "prompts", "seeds"), [(1, PROMPT, (1,)), (5, PROMPT, (1,)), (2, (), (1,)), (2, (Prompt(raw=" "),), (1,)),
                                    (2, PROMPT, ()), (2, PROMPT, (1, 1))]
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(count: int, prompts: tuple[Prompt, ...], seeds: tuple[int, ...]) -> None:
    with pytest.raises(UserError):
        Plan((arms() * 3)[:count], prompts, seeds)


def test_seeds_go_on_at_0_after_the_largest() -> None:
    assert seeds_from(2**64 - 1, 2) == (2**64 - 1, 0)


def test_prompts_are_read_from_text_json_and_json_lines(tmp_path: Path) -> None:
    for name, content in (
        ("a.txt", "one\n\n  two\n"),
        ("a.json", '["one", {"prompt": "two"}]'),
        ("a.jsonl", '"one"\n{"prompt": "two", "id": 3}\n'),
    ):
        (tmp_path / name).write_text(content, encoding="utf-8")
        assert read_prompts(tmp_path / name) == ("one", "two")


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.txt", b"", "no prompt in it"),
        ("a.txt", b"\xff\xfe", "not UTF-8"),
        ("a.json", b"{}", "not a list"),
        ("a.json", b"[1]", "prompt 1 is neither"),
        ("a.json", b"[", "is not JSON"),
        ("a.jsonl", b'"x"\nnope\n', "line 2 is not JSON"),
        ("a.jsonl", b'{"text": "x"}\n', "line 1 is neither"),
    ],
)
def test_a_file_without_prompts_is_named_with_the_place(
    tmp_path: Path, name: str, content: bytes, problem: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=problem):
        read_prompts(tmp_path / name)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file"):
        read_prompts(tmp_path / "nothing.txt")
