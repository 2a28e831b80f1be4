"""The flags of the command line, and a sentence for each that is wrong."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

from draftlens.cli.compare_arguments import COMPARE, COMPARE_CODES, add_compare_flags, check_compare
from draftlens.core.errors import UserError
from draftlens.core.params import LookupParams, SamplingParams
from draftlens.core.rules import ASKABLE, RuleId

SUBCOMMANDS = ("generate", "compare", "models", "self-test")
_LONGEST = 240


class _Parser(argparse.ArgumentParser):
    """Raises a UserError instead of printing usage and leaving."""

    def error(self, message: str) -> NoReturn:
        sentence = message[:1].upper() + (message[1:] if len(message) <= _LONGEST else f"{message[1:_LONGEST]}…")
        raise UserError(f"{sentence.rstrip('.')}.", f"See {self.prog} --help.")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the parsed arguments with `command` set.

    Raises:
        UserError: a flag is unknown, malformed or contradicts another.
        SystemExit: --help was asked for.
    """
    parser = _Parser(prog="draftlens", description="Local language models, with every speculative round in view.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    generate = commands.add_parser("generate", help="write a reply to the terminal")
    add_reply_flags(generate)
    generate.add_argument("--json", action="store_true", help="print the run record as JSON instead of the reply")
    compare = commands.add_parser(
        "compare",
        help="run two to four arms on the same prompts and say what may be concluded",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=COMPARE,
        epilog=COMPARE_CODES,
    )
    add_reply_flags(compare)
    add_compare_flags(compare)
    self_test = commands.add_parser("self-test", help="check this machine and say what is missing")
    self_test.add_argument("--json", action="store_true", help="print the checks as JSON")
    self_test.add_argument(
        "--distribution", action="store_true", help="prove on the demo pair that its rules keep the target's law"
    )
    models = commands.add_parser("models", help="look at models on disk").add_subparsers(dest="action", required=True)
    add_model_commands(models)
    arguments = parser.parse_args(list(argv))
    check_empty(arguments)
    if arguments.command in ("generate", "compare"):
        check_conflicts(arguments)
    if arguments.command == "compare":
        check_compare(arguments)
    return arguments


def add_reply_flags(parser: argparse.ArgumentParser) -> None:
    """Add every flag that determines a reply."""
    sampling, lookup = SamplingParams(), LookupParams()
    models = parser.add_argument_group("models (without -m: the demo pair)")
    models.add_argument("-m", "--model", metavar="FOLDER", help="target model folder")
    models.add_argument("--draft-model", metavar="FOLDER", help="draft model folder")
    models.add_argument("--no-draft", action="store_true", help="plain decoding")
    models.add_argument(
        "--num-draft-tokens", type=int, default=4, metavar="K", help="tokens drafted a round, 0 to 64 (default 4)"
    )
    models.add_argument("--draft-temp", type=float, metavar="T", help="the draft model's own temperature")
    models.add_argument(
        "--rule",
        choices=[str(rule) for rule in (*ASKABLE, RuleId.GREEDY_ARGMAX)],
        metavar="RULE",
        help=f"acceptance rule: {', '.join(ASKABLE)} (temperature 0 is always greedy-argmax)",
    )
    text = parser.add_argument_group("prompt")
    text.add_argument("-p", "--prompt", help="the prompt; without it standard input is read")
    text.add_argument("-f", "--file", metavar="FILE", help="read the prompt from a file")
    text.add_argument("--system", metavar="TEXT", help="system prompt")
    text.add_argument("--no-chat-template", action="store_true", help="send the prompt as raw text")
    text.add_argument(
        "-n", "--max-tokens", type=int, default=256, metavar="N", help="longest reply in tokens (default %(default)s)"
    )
    text.add_argument("--stop", action="append", default=[], metavar="TEXT", help="end the reply here; repeatable")
    text.add_argument("--seed", type=int, help="makes the same reply again")
    chain = parser.add_argument_group("sampling, in the order applied")
    chain.add_argument("--logit-bias", action="append", default=[], metavar="ID=VALUE", help="-inf bans; repeatable")
    chain.add_argument(
        "--repeat-penalty", type=float, default=sampling.repetition_penalty, metavar="X", help="default %(default)s"
    )
    chain.add_argument(
        "--repeat-window",
        type=int,
        default=sampling.repetition_window,
        metavar="N",
        help="tokens it looks back, default %(default)s",
    )
    chain.add_argument(
        "--frequency-penalty", type=float, default=sampling.frequency_penalty, metavar="X", help="default %(default)s"
    )
    chain.add_argument(
        "--presence-penalty", type=float, default=sampling.presence_penalty, metavar="X", help="default %(default)s"
    )
    chain.add_argument(
        "--penalty-window",
        type=int,
        default=sampling.penalty_window,
        metavar="N",
        help="tokens it looks back, default %(default)s",
    )
    chain.add_argument("--top-k", type=int, default=sampling.top_k, help="0 is off")
    chain.add_argument("--top-p", type=float, default=sampling.top_p, help="1 is off")
    chain.add_argument("--min-p", type=float, default=sampling.min_p, help="0 is off")
    chain.add_argument("--xtc-probability", type=float, default=sampling.xtc_probability, help="0 is off")
    chain.add_argument(
        "--xtc-threshold", type=float, default=sampling.xtc_threshold, metavar="X", help="default %(default)s"
    )
    chain.add_argument("--temp", type=float, default=sampling.temperature, help="0 is greedy (default %(default)s)")
    words = parser.add_argument_group("prompt lookup")
    words.add_argument("--prompt-lookup", action="store_true", help="draft from the context instead of a model")
    words.add_argument("--prompt-lookup-ngram-max", type=int, metavar="N", help=f"default {lookup.ngram_max}")
    words.add_argument("--prompt-lookup-ngram-min", type=int, metavar="N", help=f"default {lookup.ngram_min}")
    words.add_argument("--prompt-lookup-max-draft", type=int, metavar="N", help=f"default {lookup.max_draft}")
    words.add_argument("--prompt-lookup-policy", choices=["graded", "gated"], help=f"default {lookup.policy}")
    words.add_argument("--prompt-lookup-floor", type=float, metavar="TOKENS", help="gated: pause below this a round")
    words.add_argument("--prompt-lookup-fixed", action="store_true", help="never pause or narrow")


def add_model_commands(models: argparse._SubParsersAction[_Parser]) -> None:
    """The commands below `draftlens models`."""
    inspect = models.add_parser("inspect", help="say what a folder or repository is; exit code 2 if refused")
    inspect.add_argument("path", help="a model folder, a config.json, a GGUF file, or owner/name on the hub")
    inspect.add_argument("--json", action="store_true", help="print the verdict as JSON")
    inspect.add_argument("--check", action="store_true", help="hold an installed model's files against their hashes")
    listing = models.add_parser("list", help="list the models on this computer")
    listing.add_argument("--json", action="store_true", help="print the list as JSON")
    download = models.add_parser("download", help="fetch a model into the hub cache; goes on where it stopped")
    download.add_argument("repo", help="owner/name on the hub")
    download.add_argument("--file", metavar="NAME", help="which GGUF file, where there are several")
    download.add_argument("--check", action="store_true", help="check what is here, and fetch again what is damaged")
    download.add_argument("--anyway", action="store_true", help="fetch also what cannot be loaded on its own")
    take = models.add_parser("import", help="turn a GGUF file into a model folder")
    take.add_argument("file", help="a .gguf file")
    take.add_argument("--name", help="name of the folder; the file's own without it")
    take.add_argument(
        "--keep",
        choices=("auto", "float", "4bit", "8bit"),
        default="auto",
        help="auto keeps what 4 or 8 bits hold exactly; float writes all as float16; 4bit and 8bit quantise again",
    )


def check_empty(arguments: argparse.Namespace) -> None:
    """Refuse an empty text where a path or a name belongs: it would count as not given, or as this folder.

    Raises:
        UserError: naming the flag.
    """
    for name in ("model", "draft_model", "file", "prompts", "resume", "show"):
        if getattr(arguments, name, None) == "":
            flag = "The file name" if arguments.command == "models" else f"--{name.replace('_', '-')}"
            raise UserError(f"{flag} is empty.", "Give a path, or leave it out.")
    for name in ("path", "repo"):
        if getattr(arguments, name, None) == "":
            raise UserError(f"The {name} is empty.", "Give a folder, a file or owner/name.")


def check_conflicts(arguments: argparse.Namespace) -> None:
    """Refuse flags that contradict each other.

    Raises:
        UserError: naming both.
    """
    a = arguments
    pairs = (
        (a.draft_model and a.prompt_lookup, "--draft-model and --prompt-lookup"),
        (a.no_draft and a.draft_model, "--no-draft and --draft-model"),
        (a.no_draft and a.prompt_lookup, "--no-draft and --prompt-lookup"),
        (a.prompt is not None and a.file, "--prompt and --file"),
        (a.command == "generate" and a.draft_temp is not None and a.prompt_lookup, "--draft-temp and --prompt-lookup"),
        (a.command == "generate" and a.draft_temp is not None and a.no_draft, "--draft-temp and --no-draft"),
    )
    for both, names in pairs:
        if both:
            raise UserError(f"{names} contradict each other.", "Give one of them.")
    given = [
        f"--prompt-lookup-{name.replace('_', '-')}"
        for name in ("ngram_max", "ngram_min", "max_draft", "policy", "floor", "fixed")
        if getattr(a, f"prompt_lookup_{name}") not in (None, False)
    ]
    if given and not a.prompt_lookup:
        raise UserError(f"{given[0]} needs --prompt-lookup.", "Add --prompt-lookup, or leave it out.")
