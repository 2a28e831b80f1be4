"""The composition root: the one module that knows all the others, and hands each what it needs."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from draftlens import __version__
from draftlens.core.engine import Engine
from draftlens.core.errors import DraftlensError, UserError
from draftlens.core.events import Cancelled, Loading

if TYPE_CHECKING:
    from draftlens.cli.rooms import Rooms
    from draftlens.core.model import Folder
    from draftlens.core.objection import Objection
    from draftlens.core.params import DrafterKind, SessionParams

HELP = """\
usage: draftlens [--prompt TEXT] [options]      open the window
       draftlens generate [options]             write a reply to the terminal
       draftlens compare [options]              hold rules against each other
       draftlens models inspect PATH|OWNER/NAME say what a model is, before or after it is fetched
       draftlens models list|download|import    what is here, fetch one, take in a GGUF file
       draftlens self-test [--json]             check this machine

Chat with local language models and see what speculative decoding does, round by round.
Without --model the demo pair is used: SmolLM2-135M-Instruct and a small drafter made for it.

The window takes the options of `draftlens generate`: --prompt sends one at once, --model and
--draft-model load folders, --rule, --temp, --seed and the others set what the chips show.
Every option: draftlens generate --help

  -h, --help     show this and leave
  --version      show the version and leave

environment:
  DRAFTLENS_DATA_DIR      keep everything below this folder
  DRAFTLENS_APPEARANCE    light or dark instead of the system's
"""


def run(argv: Sequence[str]) -> int:
    """Do what the arguments ask for and return the exit code."""
    if argv and not argv[0].startswith("-") and argv[0] != "help":
        return _run_cli(argv)
    try:
        if argv and argv[0] in ("-h", "--help", "help", "--version"):
            from draftlens.cli.output import write

            write(f"draftlens {__version__}" if argv[0] == "--version" else HELP.rstrip("\n"))
            return 0
        arguments = _window_arguments(argv)
        reason = no_window_reason(os.environ)
        if reason is None:
            return _open_window(argv, arguments)
    except DraftlensError as error:
        sys.stderr.write(f"draftlens: {error}\n")
        return error.exit_code
    sys.stderr.write(f"draftlens: {reason} The reply is written here instead.\n")
    return _run_cli(["generate", *_with_prompt(argv, arguments)])


def no_window_reason(environment: Mapping[str, str]) -> str | None:
    """Say in one sentence why no window can be opened on this machine; None if nothing speaks against it."""
    if sys.platform != "linux" or environment.get("QT_QPA_PLATFORM"):
        return None
    if not environment.get("DISPLAY") and not environment.get("WAYLAND_DISPLAY"):
        return "There is no display to open a window on."
    from draftlens import display
    from draftlens.selftest import missing_qt_libraries, qt_advice

    missing = missing_qt_libraries()
    return f"{qt_advice(missing).rstrip('.')}." if missing else display.silence(environment)


def open_engine() -> Engine:
    """Start MLX on the calling thread. The fast BLAS must be in the process before MLX is."""
    from draftlens import native

    native.prepare()
    from draftlens.engine.engine import MlxEngine
    from draftlens.library import pairing
    from draftlens.library.folder import judge_folder

    def judge_pair(target: Path, drafter: Path) -> None:
        pairing.require_pair(target, drafter)

    return MlxEngine(judge_folder, judge_pair)


def demo_pair(report: Callable[[str, float | None], None], cancelled: Callable[[], bool]) -> tuple[Path, Path]:
    """Return the demo pair's folders, fetching them if they are not here yet."""
    from draftlens.library import demo

    pair = demo.ensure(report, cancelled)
    return pair.target, pair.drafter


def fetch_demo(report: Callable[[Loading], None], cancelled: Callable[[], bool]) -> tuple[Path, Path]:
    """The same, in the engine thread's terms."""
    from draftlens.library.demo import FetchCancelled

    try:
        return demo_pair(lambda stage, fraction: report(Loading(stage, fraction)), cancelled)
    except FetchCancelled as stopped:
        raise Cancelled from stopped


def rooms() -> Rooms:
    """What the command line needs."""
    from draftlens.cli.rooms import Rooms
    from draftlens.library import console, lookup

    return Rooms(
        open_engine=open_engine,
        demo_pair=demo_pair,
        self_test=_self_test,
        inspect=lambda name: console.inspect(name, _trial),
        check=console.check,
        find=lookup.local,
        installed=console.installed,
        download=console.download,
        import_gguf=console.import_gguf,
        comparisons=_comparisons,
    )


def _trial(folder: Folder) -> Objection | None:
    """What the loader itself has against a folder; MLX is imported only for what looks complete."""
    from draftlens import native

    native.prepare()
    from draftlens.engine import trial

    return trial.objection(folder)


def _self_test() -> list[tuple[str, str, str, str | None]]:
    from draftlens import selftest

    return [(check.name, str(check.status), check.sentence, check.next_step or None) for check in selftest.run()]


def _comparisons() -> Path:
    from draftlens import paths
    from draftlens.compare import files

    return paths.data_dir() / files.FOLDER


def _run_cli(argv: Sequence[str]) -> int:
    from draftlens import paths
    from draftlens.cli import run_cli
    from draftlens.library import hub_cache
    from draftlens.settings.file import SettingsFile

    read = SettingsFile(paths.config_dir()).load()
    for problem in read.problems:
        sys.stderr.write(f"draftlens: {problem}\n")
    settings = read.settings
    paths.choose_data_dir(settings.data_folder)
    hub_cache.choose(settings.hub_cache)
    return run_cli(argv, rooms())


def _window_arguments(argv: Sequence[str]) -> Namespace:
    from draftlens.cli.arguments import parse

    # The last of two values counts: a chat is not cut as short as a single reply in the terminal.
    arguments = parse(["generate", "--max-tokens", "1024", *argv])
    for flag in ("json", "no_chat_template"):
        if getattr(arguments, flag):
            raise UserError(f"--{flag.replace('_', '-')} is not for the window.", "Use it with draftlens generate.")
    return arguments


def _with_prompt(argv: Sequence[str], arguments: Namespace) -> list[str]:
    if arguments.prompt is not None or arguments.file:
        return list(argv)
    from draftlens.samples import sample_prompt

    return [*argv, "--prompt", sample_prompt()]


def _window_params(arguments: Namespace) -> SessionParams:
    from dataclasses import replace

    from draftlens.cli.settings import session_params

    lookup = arguments.prompt_lookup or (arguments.model and not arguments.draft_model)
    drafter: DrafterKind = "none" if arguments.no_draft else "prompt-lookup" if lookup else "draft-model"
    # In the window closed forms and likely tokens are in view; on the command line the former are asked for.
    return replace(session_params(arguments, os.environ, drafter), closed_forms=True, candidates=12)


def _asks(argv: Sequence[str]) -> bool:
    """Whether a flag sets how a reply is made; those that only name models, prompt and system prompt do not."""
    plain = ("-m", "--model", "--draft-model", "-p", "--prompt", "-f", "--file", "--system")
    skip = False
    for word in argv:
        if skip:
            skip = False
        elif word in plain:
            skip = True
        elif word.startswith("-") and word.partition("=")[0] not in plain:
            return True
    return False


def _open_window(argv: Sequence[str], arguments: Namespace) -> int:
    from draftlens import paths
    from draftlens.cli.settings import read_prompt
    from draftlens.library import demo
    from draftlens.settings.file import SettingsFile

    prompt = read_prompt(arguments) if arguments.prompt is not None or arguments.file else None
    params = _window_params(arguments)
    loaded = SettingsFile(paths.config_dir())
    read = loaded.load()
    paths.choose_data_dir(read.settings.data_folder)
    from draftlens.ui.moving import settled

    settings, moved = settled(loaded, read.settings)
    target = None if arguments.model is None else Path(arguments.model)
    drafter = None if arguments.draft_model is None else Path(arguments.draft_model)
    if target is None and drafter is None and settings.target is not None and settings.target.is_dir():
        target, drafter = settings.target, settings.drafter
    load = target is not None or drafter is not None or prompt is not None or demo.installed() is not None

    from draftlens.bridge.preferences import Preferences
    from draftlens.runtime.engine_thread import EngineThread
    from draftlens.ui.application import Start, open_window

    start = Start(
        Preferences(settings, loaded),
        (*read.problems, *moved),
        params if _asks(argv) else None,
        target,
        drafter,
        load,
        prompt,
        arguments.system or "",
    )
    return open_window(start, lambda wake: EngineThread(open_engine, fetch_demo, wake))
