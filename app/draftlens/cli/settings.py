"""From flags and environment to the parameters of a reply."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from draftlens.core.errors import UserError
from draftlens.core.params import DrafterKind, LookupParams, SamplingParams, SessionParams
from draftlens.core.rules import RuleId, diagnostics_wanted, stochastic_wanted


def session_params(
    arguments: argparse.Namespace, environment: Mapping[str, str], drafter: DrafterKind
) -> SessionParams:
    """Return what is asked; --rule outranks the environment.

    Raises:
        UserError: for the first value out of range.
    """
    a = arguments
    if "" in a.stop:
        raise UserError(
            "--stop is given an empty text, which every reply contains.", "Name the text that ends a reply."
        )
    sampling = SamplingParams(
        logit_bias=tuple(_bias(text) for text in a.logit_bias),
        repetition_penalty=a.repeat_penalty,
        repetition_window=a.repeat_window,
        frequency_penalty=a.frequency_penalty,
        presence_penalty=a.presence_penalty,
        penalty_window=a.penalty_window,
        top_k=a.top_k,
        top_p=a.top_p,
        min_p=a.min_p,
        xtc_probability=a.xtc_probability,
        xtc_threshold=a.xtc_threshold,
        temperature=a.temp,
    )
    return SessionParams(
        sampling=sampling,
        drafter=drafter,
        k=a.num_draft_tokens,
        rule=_rule(a.rule, sampling.greedy, environment),
        lookup=_lookup(a),
        max_tokens=a.max_tokens,
        seed=a.seed,
        stop=tuple(a.stop),
        closed_forms=diagnostics_wanted(environment) or a.json,
        draft_temperature=a.draft_temp,
    )


def read_prompt(arguments: argparse.Namespace) -> str:
    """Return the prompt from the flag, the file or standard input.

    Raises:
        UserError: there is none, or the file cannot be read as text.
    """
    if arguments.prompt is not None:
        text = str(arguments.prompt)
    elif arguments.file:
        text = _read_file(Path(arguments.file))
    elif sys.stdin is None or sys.stdin.isatty():
        raise UserError("There is no prompt.", 'Give one with -p "…", or with -f FILE.')
    else:
        text = _read_input()
    if not text.strip():
        raise UserError("The prompt is empty.", 'Give one with -p "…".')
    for name, given in (
        ("prompt", text),
        ("system prompt", arguments.system or ""),
        *(("stop", s) for s in arguments.stop),
    ):
        # Bytes of arguments or input that are no UTF-8 arrive as lone surrogates, which no tokenizer takes.
        if not given.isascii() and any("\ud800" <= c <= "\udfff" for c in given):
            raise UserError(f"The {name} text is not UTF-8.", "Convert it to UTF-8 first.")
    return text


def _read_input() -> str:
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise UserError("The prompt text is not UTF-8.", "Convert it to UTF-8 first.") from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UserError(
            f"The prompt cannot be read from standard input: {reason}.", "Give it with -p or -f."
        ) from error


def _read_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path} cannot be read as a prompt: it is not UTF-8 text.", "Save it as UTF-8.") from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UserError(
            f"{path} cannot be read as a prompt: {reason}.", "Check the path and its permissions."
        ) from error


def _rule(asked: str | None, greedy: bool, environment: Mapping[str, str]) -> RuleId:
    if asked is None:
        return RuleId.STOCHASTIC if stochastic_wanted(environment) else RuleId.SAMPLER_MATCH
    rule = RuleId(asked)
    if rule is not RuleId.GREEDY_ARGMAX:
        return rule
    if not greedy:
        raise UserError("--rule greedy-argmax needs temperature 0.", "Add --temp 0, or choose another rule.")
    return RuleId.SAMPLER_MATCH


def _lookup(a: argparse.Namespace) -> LookupParams:
    base = LookupParams()
    floor = a.prompt_lookup_floor
    policy = a.prompt_lookup_policy or ("gated" if floor is not None else base.policy)
    if floor is not None and policy == "graded":
        raise UserError("--prompt-lookup-floor belongs to the gated policy.", "Add --prompt-lookup-policy gated.")
    smallest = _or(a.prompt_lookup_ngram_min, base.ngram_min)
    return LookupParams(
        ngram_min=smallest,
        ngram_max=_or(a.prompt_lookup_ngram_max, max(base.ngram_max, smallest)),
        max_draft=_or(a.prompt_lookup_max_draft, base.max_draft),
        policy=policy,
        adaptive=not a.prompt_lookup_fixed,
        floor=floor,
    )


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def _bias(text: str) -> tuple[int, float]:
    token, separator, value = text.partition("=")
    try:
        if not separator:
            raise ValueError
        return int(token), float(value)
    except ValueError as error:
        raise UserError(f"--logit-bias {text} cannot be read.", "Write it as ID=VALUE, such as 42=-5.") from error
