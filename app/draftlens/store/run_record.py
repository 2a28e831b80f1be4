"""One reply's runs as a JSONL file, out and strictly in again; described in docs/run-record.md.

A record that was cut off, changed by hand or written by a newer version is refused by line and field; the last line
holds the figures the rounds give, and reading counts them again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from draftlens.core.chat import Conversation, Message, Role, Status, new_conversation, new_id
from draftlens.core.errors import UserError
from draftlens.core.report import acceptance_json, timings_block
from draftlens.core.stats import RunStats
from draftlens.core.values import BadField, mapping, number, params_from_values, params_to_values, sequence, shown, text
from draftlens.store.codec import summary_from_values, summary_to_values
from draftlens.store.exchange import Parcel
from draftlens.store.records import RunRecord
from draftlens.store.round_checks import checked_round
from draftlens.store.typed import check

FORMAT = "draftlens-run"
VERSION = 1


@dataclass(frozen=True)
class Reply:
    """What a record holds.

    Attributes:
        title: of the chat it was written in.
        prompt: the turns before it, as (role, text); the last is a user's.
        about: versions and machine, as JSON values.
    """

    title: str
    prompt: tuple[tuple[str, str], ...]
    message: Message
    runs: tuple[RunRecord, ...]
    about: Mapping[str, Any]


def stats_of(runs: Sequence[RunRecord]) -> RunStats:
    """Count the figures of a reply from its runs."""
    stats = RunStats()
    for run in runs:
        asked = run.summary
        if asked.prompt_ms:
            stats.prefill(asked.prompt_tokens, asked.cached_tokens, asked.prompt_ms)
        for round_ in run.rounds:
            stats.add(round_)
    return stats


def write(reply: Reply) -> str:
    """Write a record: a head, each run followed by its rounds, the figures."""
    return "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in _lines(reply))


def _lines(reply: Reply) -> Iterator[dict[str, Any]]:
    message = reply.message
    yield {
        "format": FORMAT,
        "version": VERSION,
        **reply.about,
        "title": reply.title,
        "prompt": [{"role": role, "content": content} for role, content in reply.prompt],
        "created": message.created,
        "status": str(message.status),
        "error": message.error,
        "content": message.content,
    }
    for run in reply.runs:
        summary = summary_to_values(run.summary)
        yield {"run": {"start": run.start, "params": params_to_values(run.summary.params), "summary": summary}}
        for round_ in run.rounds:
            yield {"round": round_.to_json()}
    yield {"figures": _figures(reply.runs)}


def _figures(runs: Sequence[RunRecord]) -> dict[str, Any]:
    stats = stats_of(runs)
    return {
        "recorded_rounds": sum(len(run.rounds) for run in runs),
        **acceptance_json(stats),
        "timings": timings_block(stats),
    }


def read(source: bytes, name: str) -> Reply:
    """Read a record written by `write`.

    Raises:
        UserError: names the line and field that cannot be used.
    """
    try:
        return _reply([line for line in enumerate(source.decode("utf-8-sig").split("\n"), 1) if line[1].strip()])
    except UnicodeDecodeError as error:
        reason = f"line {source[: error.start].count(10) + 1} is not UTF-8 text"
        raise _refused(name, reason) from error
    except RecursionError as error:
        raise _refused(name, "it is nested too deeply") from error
    except BadField as error:
        raise _refused(name, f"{error.field} {error.problem}") from error


def parcel(reply: Reply) -> Parcel:
    """Return a record as a conversation of its own, to be added to the others."""
    conversation: Conversation = new_conversation(f"Run record: {reply.title}")
    parent: str | None = None
    for role, content in reply.prompt:
        if role == "system":
            continue
        message = Message(new_id(), parent, Role(role), content, reply.message.created)
        conversation, parent = conversation.add(message), message.id
    own = Message(
        new_id(),
        parent,
        Role.ASSISTANT,
        reply.message.content,
        reply.message.created,
        reply.message.status,
        run=reply.runs[-1].summary,
        error=reply.message.error,
    )
    return Parcel(conversation.add(own), {own.id: reply.runs})


def _refused(name: str, reason: str) -> UserError:
    return UserError(
        f"{name} cannot be opened: {reason.rstrip('.')}.", "Nothing was opened; choose a run record of Draftlens."
    )


def _reply(lines: list[tuple[int, str]]) -> Reply:
    if not lines:
        raise BadField("line 1", "is missing: the file is empty")
    head = _object(*lines[0])
    where = f"line {lines[0][0]},"
    if head.get("format") != FORMAT:
        raise BadField(f"{where} format", f"is {shown(head.get('format'))}, but must be {FORMAT}")
    if head.get("version") != VERSION:
        raise BadField(f"{where} version", f"is {shown(head.get('version'))}, and this Draftlens reads {VERSION}")
    if len(lines) < 2:
        raise BadField(f"line {lines[0][0] + 1}", "is missing: the file ends after its head")
    runs = _runs(lines[1:-1], lines[-1])
    status = head.get("status")
    if status not in tuple(Status):
        raise BadField(f"{where} status", f"is {shown(status)}, but must be one of {', '.join(Status)}")
    error = head.get("error")
    message = Message(
        new_id(),
        None,
        Role.ASSISTANT,
        text(head.get("content"), f"{where} content"),
        number(head.get("created"), f"{where} created"),
        Status(status),
        run=runs[-1].summary,
        error=None if error is None else text(error, f"{where} error"),
    )
    title = text(head.get("title"), f"{where} title")
    about = {key: head[key] for key in ("versions", "machine") if key in head}
    return Reply(title, _prompt(head.get("prompt"), f"{where} prompt"), message, runs, about)


def _prompt(data: object, where: str) -> tuple[tuple[str, str], ...]:
    turns = []
    for i, item in enumerate(sequence(data, where)):
        turn = mapping(item, f"{where}[{i}]")
        role = turn.get("role")
        if role not in ("system", "user", "assistant"):
            raise BadField(f"{where}[{i}].role", f"is {shown(role)}, but must be system, user or assistant")
        turns.append((str(role), text(turn.get("content"), f"{where}[{i}].content")))
    if not turns or turns[-1][0] != "user":
        raise BadField(where, "must end with a user's turn")
    return tuple(turns)


def _runs(lines: Sequence[tuple[int, str]], last: tuple[int, str]) -> tuple[RunRecord, ...]:
    closing = _object(*last)
    if set(closing) != {"figures"}:
        _unknown(last[0] + 1, "is missing: the file ends before its figures")
    found: list[RunRecord] = []
    rounds: list[list[Any]] = []
    position = 0
    for place, line in lines:
        data = _object(place, line)
        if set(data) == {"run"}:
            found.append(_run(data["run"], f"line {place}, run"))
            rounds.append([])
        elif set(data) == {"round"} and found:
            before = next((made[-1] for made in reversed(rounds) if made), None)
            made = checked_round(data["round"], f"line {place}, round", before, position)
            position += len(made.emitted)
            rounds[-1].append(made)
        elif set(data) == {"round"}:
            _unknown(place, "holds a round, but no run was begun before it")
        else:
            _unknown(place, f"holds {shown(sorted(data))}, but must hold a run or a round")
    if not found:
        _unknown(last[0], "ends the record, but no run was begun before it")
    runs = tuple(RunRecord(r.start, r.summary, tuple(own)) for r, own in zip(found, rounds, strict=True))
    _compare(closing["figures"], _figures(runs), f"line {last[0]}, figures")
    return runs


def _run(data: object, where: str) -> RunRecord:
    values = mapping(data, where)
    params = params_from_values(values.get("params"), f"{where}.params")
    check(params, f"{where}.params")
    summary = summary_from_values(values.get("summary"), params, f"{where}.summary")
    return RunRecord(int(number(values.get("start"), f"{where}.start")), summary, ())


def _compare(stated: object, counted: Mapping[str, Any], where: str) -> None:
    """Refuse figures that the rounds do not give: something was changed, or rounds are missing."""
    values = mapping(stated, where)
    for name, right in counted.items():
        mine = values.get(name)
        if isinstance(right, dict):
            _compare(mine, right, f"{where}.{name}")
        elif isinstance(right, float) and isinstance(mine, int | float) and not isinstance(mine, bool):
            if abs(mine - right) > 1e-9 * max(1.0, abs(right)):
                raise BadField(f"{where}.{name}", f"is {shown(mine)}, but the rounds give {shown(right)}")
        elif mine != right:
            raise BadField(f"{where}.{name}", f"is {shown(mine)}, but the rounds give {shown(right)}")


def _object(place: int, line: str) -> Mapping[str, Any]:
    def no_number(name: str) -> NoReturn:
        raise BadField(f"line {place}", f"holds {name}, which is no number")

    try:
        return mapping(json.loads(line, parse_constant=no_number), f"line {place}")
    except json.JSONDecodeError as error:
        raise BadField(f"line {place}, column {error.colno}", f"is not JSON ({error.msg})") from error


def _unknown(place: int, problem: str) -> NoReturn:
    raise BadField(f"line {place}", problem)
