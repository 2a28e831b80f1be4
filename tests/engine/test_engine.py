"""The engine as the thread sees it: what stays loaded, what a reply reports, why it did not run as asked."""

from __future__ import annotations

import codecs
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import pytest

from draftlens.core.commands import Request
from draftlens.core.errors import UserError
from draftlens.core.events import Cancelled, Finished, Loading, Prefill, RoundDone, Started
from draftlens.core.model import Folder
from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.round import FinishReason
from draftlens.core.rules import RuleId
from draftlens.engine.engine import MlxEngine
from draftlens.engine.load import load as load_folder
from draftlens.library.demo import DemoPair
from draftlens.library.folder import judge_folder
from library.toy_folder import llama_tensors, model_folder

GREEDY = SessionParams(sampling=SamplingParams(temperature=0), max_tokens=4, k=2)
SAMPLED = replace(GREEDY, sampling=SamplingParams(temperature=0.7), seed=5)
MESSAGES = (("user", "Name a colour."),)
REFUSED = "refused"


def judge(path: Path, draft: bool) -> Folder:
    if path.name == REFUSED:
        raise UserError("This folder is refused.")
    return judge_folder(path, draft)


def judge_pair(target: Path, drafter: Path) -> None:
    if target == drafter:
        raise UserError("A model cannot draft for itself.")


@pytest.fixture(scope="module")
def engine(demo_pair: DemoPair) -> MlxEngine:
    """Never closed: closing ends this thread's streams, and other tests go on in this thread."""
    made = MlxEngine(judge, judge_pair)
    load(made, demo_pair.target, demo_pair.drafter)
    return made


def load(engine: MlxEngine, target: Path, drafter: Path | None) -> list[str]:
    stages: list[str] = []

    def report(loading: Loading) -> None:
        stages.append(loading.stage)

    engine.load(target, drafter, report, lambda: False)
    return stages


Events = list[Started | Prefill | RoundDone]


def tokens_of(events: Events) -> list[int]:
    return [t.token for e in events if isinstance(e, RoundDone) for t in e.round.emitted]


def reply(engine: MlxEngine, params: SessionParams, stop_after: int = 1000) -> tuple[Events, Finished]:
    events: Events = []
    request = Request(3, params, MESSAGES)
    return events, engine.reply(request, events.append, lambda: len(events) >= stop_after)


def test_what_is_loaded_is_not_loaded_again(engine: MlxEngine, demo_pair: DemoPair) -> None:
    assert load(engine, demo_pair.target, demo_pair.drafter) == []


def test_a_load_that_is_refused_leaves_what_was_there(engine: MlxEngine, demo_pair: DemoPair) -> None:
    for target, drafter in ((Path(REFUSED), None), (demo_pair.target, Path(REFUSED)), (demo_pair.target,) * 2):
        with pytest.raises(UserError):
            load(engine, target, drafter)
    _, finished = reply(engine, GREEDY)
    assert finished.speculation_note is None


def test_a_load_that_is_cancelled_says_so_and_leaves_what_was_there(engine: MlxEngine, tmp_path: Path) -> None:
    other = tmp_path / "other"
    made = MlxEngine(lambda path, draft: Folder(path, ()), judge_pair)
    with pytest.raises(Cancelled):
        made.load(other, None, lambda loading: None, lambda: True)
    with pytest.raises(UserError, match="No model is loaded"):
        reply(made, GREEDY)


def test_a_folder_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    made = MlxEngine(lambda path, draft: Folder(path, ()), judge_pair)
    with pytest.raises(UserError, match=f"{tmp_path.name} cannot be loaded: .*[^.]\\. Check that the download"):
        load(made, tmp_path, None)


def test_a_tensor_that_is_missing_is_named(tmp_path: Path) -> None:
    folder = model_folder(tmp_path, tensors=[name for name in llama_tensors() if "q_proj" not in name])
    made = MlxEngine(lambda path, draft: Folder(path, (path / "model.safetensors",)), judge_pair)
    with pytest.raises(UserError, match=r"Missing 1 parameters: model\.layers\.0\.self_attn\.q_proj\.weight\. Check"):
        load(made, folder, None)


def test_byte_order_marks_and_old_weights_beside_the_model_do_not_matter(demo_pair: DemoPair, tmp_path: Path) -> None:
    for file in demo_pair.drafter.iterdir():
        if file.suffix == ".json":
            (tmp_path / file.name).write_bytes(codecs.BOM_UTF8 + file.read_bytes())
        else:
            (tmp_path / file.name).symlink_to(file.resolve())
    (tmp_path / "model-old.safetensors").write_bytes(b"no weights")
    loaded = load_folder(judge_folder(tmp_path))
    assert loaded.decode(loaded.encode("Blue.")).endswith("Blue.")
    assert loaded.info.weights_bytes == load_folder(judge_folder(demo_pair.drafter)).info.weights_bytes


def test_a_reply_reports_the_prompt_then_its_rounds_then_its_end(engine: MlxEngine) -> None:
    events, finished = reply(engine, GREEDY)
    reads = [e for e in events if isinstance(e, Prefill)]
    rounds = [e for e in events if isinstance(e, RoundDone)]
    assert {e.run for e in events} == {finished.run} == {3}
    assert isinstance(events[0], Started)
    assert events.index(rounds[0]) == 1 + len(reads)
    assert [r.done for r in reads] == sorted(r.done for r in reads)
    assert (reads[-1].done, reads[-1].total) == (reads[-1].total, engine.count(MESSAGES)[0])
    assert sum(len(r.round.emitted) for r in rounds) == 4
    assert finished.reason is FinishReason.LENGTH
    assert rounds[-1].round.finish is FinishReason.LENGTH
    assert rounds[-1].round.drafter == "classic"


def test_the_next_reply_reads_only_what_is_new_and_says_the_same(engine: MlxEngine) -> None:
    first, _ = reply(engine, GREEDY)
    second, _ = reply(engine, GREEDY)
    cached = [e.cached for e in second if isinstance(e, Prefill)]
    assert cached[-1] == engine.count(MESSAGES)[0] - 1
    assert tokens_of(first) == tokens_of(second)


def test_a_stopped_reply_says_so_and_the_next_one_is_whole(engine: MlxEngine) -> None:
    events, finished = reply(engine, GREEDY, stop_after=3)
    assert finished.reason is FinishReason.STOPPED
    assert len(events) < 6
    assert reply(engine, GREEDY)[1].reason is FinishReason.LENGTH


def test_an_unseeded_reply_names_the_seed_that_makes_it_again(engine: MlxEngine) -> None:
    params = replace(SAMPLED, seed=None, max_tokens=6)
    events, finished = reply(engine, params)
    again, _ = reply(engine, replace(params, seed=finished.seed))
    assert tokens_of(again) == tokens_of(events)


def rules(events: Events) -> set[RuleId]:
    return {e.round.rule for e in events if isinstance(e, RoundDone)}


def test_speculation_that_runs_otherwise_than_asked_says_why(engine: MlxEngine) -> None:
    lookup = replace(SAMPLED, drafter="prompt-lookup", rule=RuleId.STOCHASTIC)
    events, finished = reply(engine, lookup)
    assert finished.speculation_note == RuleId.SAMPLER_MATCH_NO_Q.sentence
    assert rules(events) == {RuleId.SAMPLER_MATCH_NO_Q}
    events, finished = reply(engine, replace(lookup, sampling=SamplingParams(temperature=0)))
    assert finished.speculation_note is None
    assert rules(events) == {RuleId.GREEDY_ARGMAX}


def test_a_draft_temperature_of_zero_drafts_the_argmax_and_keeps_the_rule(engine: MlxEngine) -> None:
    events, finished = reply(engine, replace(SAMPLED, draft_temperature=0, rule=RuleId.STOCHASTIC, max_tokens=6))
    proposals = [p for e in events if isinstance(e, RoundDone) for p in e.round.proposals]
    assert proposals
    assert {p.q for p in proposals} == {1}
    assert rules(events) == {RuleId.STOCHASTIC}
    assert finished.speculation_note is None


def test_without_a_drafter_the_reply_is_plain(engine: MlxEngine, demo_pair: DemoPair) -> None:
    greedy = tokens_of(reply(engine, GREEDY)[0])
    for params in (replace(GREEDY, drafter="none"), replace(GREEDY, k=0)):
        events, _ = reply(engine, params)
        rounds = [e.round for e in events if isinstance(e, RoundDone)]
        assert {r.drafter for r in rounds} == {"none"}
        assert tokens_of(events) == greedy
    load(engine, demo_pair.target, None)
    assert reply(engine, GREEDY)[1].speculation_note == "no draft model is loaded"
    assert load(engine, demo_pair.target, demo_pair.drafter) == [f"Loading {demo_pair.drafter.name}"]


def test_a_raw_prompt_is_not_put_into_the_template(engine: MlxEngine) -> None:
    raw = engine.prompt_ids(Request(1, GREEDY, prompt="Name a colour."))
    assert len(raw) < engine.count(MESSAGES)[0]


def test_what_is_unloaded_gives_its_memory_back(engine: MlxEngine, demo_pair: DemoPair) -> None:
    # The last test here: those before it share the loaded pair.
    before = mx.get_active_memory()
    weights = engine._ready()[0].info.weights_bytes
    engine.unload()
    assert before - mx.get_active_memory() > weights
    with pytest.raises(UserError, match="No model is loaded"):
        engine.count(MESSAGES)
