"""Streams that fail and Ctrl-C before a reply: a sentence and an exit code, never a traceback."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from draftlens import __main__, main
from draftlens.cli import output, run_cli
from draftlens.cli.rooms import Rooms
from draftlens.core.errors import UserError
from draftlens.core.events import Cancelled
from draftlens.library import checkpoint
from fakes import ScriptedEngine, step
from library.toy_folder import llama_config


def nothing(*_: object) -> NoReturn:
    raise AssertionError("not asked for here")


def rooms(error: BaseException | None = None) -> Rooms:
    return Rooms(
        open_engine=lambda: ScriptedEngine([step(0, "Hi")], error=error),
        demo_pair=lambda report, cancelled: (Path("target"), Path("drafter")),
        self_test=list,
        inspect=lambda name: ({}, False),
        check=nothing,
        find=Path,
        installed=list,
        download=nothing,
        import_gguf=nothing,
        comparisons=lambda: Path("comparisons"),
    )


def test_ctrl_c_while_loading_is_130_and_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["generate", "-p", "hello"], rooms(Cancelled())) == 130
    assert capsys.readouterr().err.endswith("draftlens: Stopped.\n")


def test_ctrl_c_before_there_is_a_command_is_130_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "run", interrupted)
    assert __main__.main() == 130
    assert capsys.readouterr().err == "draftlens: Stopped.\n"


def test_a_closed_standard_output_does_not_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert run_cli(["generate", "-p", "hello", "-n", "3"], rooms()) == 0


def test_a_terminal_that_cannot_write_a_name_gets_it_spelt_out(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    output.write("modèle\udcff: chat model")
    assert written.getvalue() == b"mod\\xe8le\\udcff: chat model\n"


def test_a_full_standard_output_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    for flags in ([], ["--json"]):
        monkeypatch.setattr(sys, "stdout", Full())
        assert run_cli(["generate", "-p", "hello", "-n", "3", *flags], rooms()) == 2
        assert "Standard output cannot be written: No space left on device." in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdout", Full())
    assert main.run(["--help"]) == 2
    assert "Standard output cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["-p", "caf\udce9"], "The prompt text is not UTF-8."),
        (["-p", "hello", "--system", "\udcff"], "The system prompt text is not UTF-8."),
        (["-p", "hello", "--stop", "\udcff"], "The stop text is not UTF-8."),
        (["-p", "hello", "-m", ""], "--model is empty."),
        (["-p", "hello", "--draft-model", ""], "--draft-model is empty."),
    ],
)
def test_what_no_model_could_take_is_named(flags: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["generate", *flags], rooms()) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [["models", "inspect", ""], ["models", "import", ""], ["models", "download", ""], ["compare", "--show", ""]],
)
def test_an_empty_name_is_not_taken_for_this_folder(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(words, rooms()) == 2
    assert " is empty. Give a " in capsys.readouterr().err


def test_standard_input_that_is_not_utf8_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for errors in ("strict", "surrogateescape"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9"), encoding="utf-8", errors=errors))
        assert run_cli(["generate"], rooms()) == 2
        assert "The prompt text is not UTF-8." in capsys.readouterr().err


def test_what_the_system_refuses_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    def read_only(*_: object) -> NoReturn:
        raise OSError(30, "Read-only file system", "/models/hub")

    assert run_cli(["models", "download", "a/b"], replace(rooms(), download=read_only)) == 2
    assert capsys.readouterr().err == "draftlens: /models/hub cannot be used: Read-only file system.\n"


def test_what_nobody_foresaw_is_a_sentence_and_the_traceback_is_there_for_who_asks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for log, traced in (("", False), ("debug", True)):
        monkeypatch.setenv("DRAFTLENS_LOG", log)
        assert run_cli(["generate", "-p", "hello"], rooms(TypeError("no base\nof rope"))) == 1
        said = capsys.readouterr().err
        assert said.endswith("draftlens: This failed: no base. DRAFTLENS_LOG=debug shows where.\n")
        assert ("Traceback" in said) is traced


def test_broken_settings_are_said_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DRAFTLENS_DATA_DIR", str(tmp_path))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text("[")
    assert main.run(["models", "inspect", str(tmp_path / "none")]) == 2
    assert "draftlens: The settings file is broken" in capsys.readouterr().err


def test_a_lone_config_is_judged_but_not_loaded(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps(llama_config()))
    assert checkpoint.inspect(config).role.standalone
    with pytest.raises(UserError, match="is a file, not a model folder"):
        checkpoint.require_standalone(config)
