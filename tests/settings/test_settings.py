"""Settings survive: unknown keys, hand edits, bad values and broken files, each said in a sentence."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from draftlens.core.errors import UserError
from draftlens.core.params import LookupParams, SamplingParams, SessionParams
from draftlens.core.rules import RuleId
from draftlens.settings.file import FILE_NAME, SettingsFile
from draftlens.settings.keys import KEYS, settings_from
from draftlens.settings.settings import Settings

CHANGED = Settings(
    target=Path("/models/big"),
    hub_cache=Path("/models/hub"),
    model_folders=(Path("/models/more"),),
    drafter=Path("/models/small"),
    drafter_kind="prompt-lookup",
    rule=RuleId.STOCHASTIC,
    k=6,
    draft_temperature=0.5,
    lookup=LookupParams(ngram_min=4, ngram_max=5, max_draft=9, policy="gated", adaptive=False, floor=1.5),
    sampling=SamplingParams(
        logit_bias=((3, float("-inf")), (4, 1.5)), repetition_penalty=1.1, repetition_window=32,
        frequency_penalty=0.1, presence_penalty=0.2, penalty_window=16, top_k=40, top_p=0.9, min_p=0.05,
        xtc_probability=0.5, xtc_threshold=0.2, temperature=0.9,
    ),
    max_tokens=99,
    seed=7,
    stop=("END", "\n\n"),
    system_prompt='Line one\nline "two" \\ ä',
    closed_forms=False,
    idle_baseline=False,
    candidates=50,
    appearance="dark",
    text_size=125,
    provenance=False,
    underline=False,
    estimate_context=32_768,
    memory_limit=12.5,
    data_folder=Path("/elsewhere"),
    move_data_to=Path("/further"),
)  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> SettingsFile:
    """A settings file that does not exist yet."""
    return SettingsFile(tmp_path / "config")


def on_disk(file: SettingsFile) -> dict[str, Any]:
    return tomllib.loads(file.path.read_text("utf-8"))


def wrote(file: SettingsFile, text: str) -> None:
    file.path.parent.mkdir(exist_ok=True)
    file.path.write_text(text, "utf-8")


def reread(file: SettingsFile) -> Settings:
    loaded = SettingsFile(file.path.parent).load()
    assert loaded.problems == ()
    return loaded.settings


def test_without_a_file_the_defaults_hold_and_nothing_is_said(file: SettingsFile) -> None:
    assert (file.load().settings, file.load().problems) == (Settings(), ())
    assert not file.path.exists()


def test_every_setting_is_kept(file: SettingsFile) -> None:
    file.load()
    assert file.save(CHANGED) == ()
    assert reread(file) == CHANGED
    file.save(Settings())
    assert reread(file) == Settings()


def test_every_field_has_a_key() -> None:
    groups = {"sampling", "lookup"}
    assert {key.field for key in KEYS if key.group is None} == set(Settings.__dataclass_fields__) - groups
    assert all(key.of(CHANGED) != key.of(Settings()) for key in KEYS)


def test_only_what_changed_is_written(file: SettingsFile) -> None:
    file.load()
    file.save(replace(Settings(), text_size=110))
    assert on_disk(file) == {"appearance": {"text_size": 110}}


def test_unknown_keys_and_sections_survive(file: SettingsFile) -> None:
    wrote(file, 'top = 1\n[appearance]\nscheme = "dark"\nsparkle = true\n[plugin.x]\ny = [1, 2]\n')
    loaded = file.load()
    assert loaded.problems == ()
    file.save(replace(loaded.settings, appearance="light"))
    assert on_disk(file) == {
        "top": 1,
        "appearance": {"scheme": "light", "sparkle": True},
        "plugin": {"x": {"y": [1, 2]}},
    }


def test_a_change_by_hand_while_the_program_runs_survives(file: SettingsFile) -> None:
    loaded = file.load()
    wrote(file, "[speculation]\nk = 9\n")
    file.save(replace(loaded.settings, text_size=90))
    assert on_disk(file) == {"speculation": {"k": 9}, "appearance": {"text_size": 90}}


@pytest.mark.parametrize(
    ("section", "line", "sentence"),
    [
        ("speculation", "k = 65", "is 65, but must be a whole number from 0 to 64; 4 is used instead."),
        ("speculation", "k = true", "is True, but must be a whole number from 0 to 64; 4 is used"),
        ("speculation", 'rule = "best"', "is 'best', but must be sampler-match, stochastic or argmax-against-argmax"),
        ("speculation", 'rule = "greedy-argmax"', "but must be sampler-match"),
        ("speculation", "candidates = 13", "but must be 0 (off), 12 or 50; 12 is used"),
        ("speculation", "closed_forms = 1", "but must be true or false; true is used"),
        ("appearance", "text_size = 84", "but must be a whole number from 85 to 150 (percent); 100 is used"),
        ("appearance", 'scheme = "pink"', "but must be system, light or dark; system is used"),
        ("sampling", "top_p = 3.5", "is 3.5, but must be a number above 0 and at most 1; 1.0 is used"),
        ("sampling", 'temperature = "hot"', "temperature in section [sampling] of the settings is 'hot', but must"),
        ("sampling", "temperature = nan", "but must be a number at least 0 and at most 100; 0.7 is used"),
        ("sampling", "logit_bias = [[1]]", "but must be [[id, number], …]; nothing is used"),
        ("reply", "stop = [1]", "but must be a list of texts; nothing is used"),
        ("reply", "seed = -1", "but must be a whole number of at least 0"),
        ("models", "target = 5", "but must be the path of a folder; nothing is used"),
        ("lookup", "ngram_min = 2.5", "but must be a whole number from 1 to 16; 2 is used"),
        ("lookup", 'policy = ["graded"]', "but must be graded or gated"),
    ],
)  # fmt: skip
def test_a_bad_value_falls_back_alone_and_is_named_with_its_range(
    file: SettingsFile, section: str, line: str, sentence: str
) -> None:
    beside = "underline = false\n" if section == "appearance" else ""
    wrote(file, f"[{section}]\n{line}\n{beside}" + ("" if beside else "[appearance]\nunderline = false\n"))
    loaded = file.load()
    (problem,) = loaded.problems
    assert sentence in problem.sentence
    assert loaded.settings == replace(Settings(), underline=False)
    before = on_disk(file)
    file.save(replace(loaded.settings, max_tokens=5))
    after = on_disk(file)
    assert after.setdefault("reply", {}).pop("max_tokens") == 5
    before.setdefault("reply", {})
    assert repr(after) == repr(before)


def test_the_good_values_beside_a_bad_one_are_taken(file: SettingsFile) -> None:
    wrote(file, "[sampling]\ntop_k = 40\ntop_p = 7\nmin_p = 0.1\n[lookup]\nngram_max = 9\nngram_min = 8\nfloor = 0\n")
    loaded = file.load()
    assert loaded.settings.sampling == SamplingParams(top_k=40, min_p=0.1)
    assert loaded.settings.lookup == LookupParams(ngram_min=8, ngram_max=9)
    assert len(loaded.problems) == 2


def test_limits_that_depend_on_each_other_are_judged_together(file: SettingsFile) -> None:
    wrote(file, "[lookup]\nngram_min = 8\n")
    (problem,) = file.load().problems
    assert "ngram-max (3) must be >= ngram-min (8)" in problem.sentence


def test_a_section_that_is_none_is_said_once(file: SettingsFile) -> None:
    wrote(file, "sampling = 3\n")
    loaded = file.load()
    assert [p.sentence for p in loaded.problems] == ["[sampling] in the settings is 3, but must be a section."]
    assert loaded.settings == Settings()


@pytest.mark.parametrize("rubbish", [b"[models\n", b"\xff\xfe\x00", b"k = = 3"])
def test_a_broken_file_is_kept_aside_and_said(file: SettingsFile, rubbish: bytes) -> None:
    file.path.parent.mkdir()
    file.path.write_bytes(rubbish)
    loaded = file.load()
    (problem,) = loaded.problems
    (kept,) = file.path.parent.iterdir()
    assert loaded.settings == Settings()
    assert "settings file is broken" in problem.sentence
    assert kept.name in str(problem.next_step)
    assert kept.read_bytes() == rubbish
    file.save(CHANGED)
    assert reread(file) == CHANGED


def test_a_file_broken_or_deleted_while_the_program_runs_is_written_whole_again(file: SettingsFile) -> None:
    file.load()
    file.save(CHANGED)
    file.path.write_text("[broken")
    (problem,) = file.save(replace(CHANGED, k=1))
    assert "broken" in problem.sentence
    assert reread(file) == replace(CHANGED, k=1)
    file.path.unlink()
    file.save(replace(CHANGED, k=2))
    assert reread(file) == replace(CHANGED, k=2)


def test_a_file_that_cannot_be_read_is_never_overwritten(file: SettingsFile) -> None:
    file.path.mkdir(parents=True)
    loaded = file.load()
    assert "cannot be read" in loaded.problems[0].sentence
    with pytest.raises(UserError, match="could not be saved"):
        file.save(CHANGED)
    assert file.path.is_dir()


def test_a_failed_save_leaves_the_old_file_and_no_rubbish(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    file = SettingsFile(tmp_path / "file")
    file.load()
    with pytest.raises(UserError, match="could not be saved"):
        file.save(CHANGED)
    assert [path.name for path in tmp_path.iterdir() if path.name != "data"] == ["file"]


def test_a_save_that_succeeds_later_writes_what_the_failed_one_could_not(file: SettingsFile) -> None:
    file.load()
    file.path.mkdir(parents=True)
    with pytest.raises(UserError):
        file.save(replace(Settings(), k=2))
    file.path.rmdir()
    file.save(replace(Settings(), k=2, text_size=90))
    assert reread(file) == replace(Settings(), k=2, text_size=90)


def test_a_link_keeps_pointing_where_it_does_and_the_mode_stays(file: SettingsFile, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("[speculation]\nk = 2\n")
    real.chmod(0o640)
    file.path.parent.mkdir()
    file.path.symlink_to(real)
    loaded = file.load()
    file.save(replace(loaded.settings, k=3))
    assert file.path.is_symlink()
    assert tomllib.loads(real.read_text()) == {"speculation": {"k": 3}}
    assert real.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in file.path.parent.iterdir()] == [FILE_NAME]


def test_the_session_parameters_go_in_and_come_out() -> None:
    params = CHANGED.session()
    assert Settings().with_session(params).session() == params
    assert Settings().session() == SessionParams(max_tokens=2048, candidates=12)


_values = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(values=st.dictionaries(st.sampled_from(KEYS), _values, max_size=6))
def test_no_value_is_a_crash_and_what_is_accepted_can_be_used(values: dict[Any, Any]) -> None:
    document: dict[str, Any] = {}
    for key, value in values.items():
        document.setdefault(key.section, {})[key.name] = value
    read, problems = settings_from(document)
    read.session()
    assert len(problems) <= len(values)
