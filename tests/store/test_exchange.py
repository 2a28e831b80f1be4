"""An exported conversation comes in again equal, with every version and round; a bad file changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from draftlens.core.chat import Attachment, Conversation, Message, Role, Status
from draftlens.core.errors import UserError
from draftlens.core.round import FinishReason
from draftlens.store import conversations, messages, records
from draftlens.store.db import Database
from draftlens.store.exchange import export_json, import_json
from draftlens.store.markdown import to_markdown
from fakes import step, verify_round
from store.samples import PARAMS, RUN, begun, reloaded, rounds_of


def rich(db: Database) -> tuple[Conversation, Message]:
    """A conversation with two versions, attachments, its own parameters and a reply of two runs."""
    c, reply, writer = begun(db, "Say “ä\u2028”")
    writer.append([step(0, "one"), verify_round(1, [" a"], " b", [" x"])], "one a b")
    writer.finish(FinishReason.STOPPED, seed=2**63).result(5)
    writer = records.resume(db, reloaded(db, c).message(reply.id), RUN)
    writer.append([step(0, " two")], " two")
    writer.finish(FinishReason.END_OF_TEXT).result(5)
    second = Message("edited", None, Role.USER, "Or else", 99.0, attachments=(Attachment("a.txt", "in a"),))
    messages.add(db, c.id, second)
    messages.choose(db, reply.id)
    conversations.set_up(db, c.id, "Be brief.", PARAMS).result(5)
    return reloaded(db, c), reply


def test_a_conversation_comes_in_again_with_all_versions_and_rounds(db: Database) -> None:
    c, reply = rich(db)
    source = export_json(db, c.id)
    imported = import_json(db, source.encode()).result(5)
    assert imported.id != c.id
    back = json.loads(export_json(db, imported.id))
    numbered = {m["id"]: i for i, m in enumerate(back["messages"])}
    first = json.loads(source)
    original = {m["id"]: i for i, m in enumerate(first["messages"])}
    for document, ids in ((back, numbered), (first, original)):
        document["chosen"] = sorted([ids.get(a, -1), ids[b]] for a, b in document["chosen"])
        for m in document["messages"]:
            m["id"], m["parent"] = ids[m["id"]], ids.get(m["parent"])
    assert back == first
    found = reloaded(db, imported)
    assert [m.content for m in found.path] == [m.content for m in c.path]
    assert rounds_of(db, found.path[-1]) == rounds_of(db, reply)
    assert found.params == PARAMS


def test_the_file_is_strict_json(db: Database) -> None:
    c, _ = rich(db)

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(export_json(db, c.id), parse_constant=refuse)


def test_a_reply_exported_while_it_streams_comes_in_as_interrupted(db: Database) -> None:
    c, _, writer = begun(db)
    imported = import_json(db, export_json(db, c.id)).result(5)
    assert imported.path[-1].status is Status.INTERRUPTED
    writer.interrupt()


def test_a_conversation_that_is_gone_is_not_exported(db: Database) -> None:
    with pytest.raises(UserError, match="not in the database any more"):
        export_json(db, "gone")


def put(*path: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        at: Any = document
        for name in path[:-1]:
            at = at[name]
        at[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (put("format", value="other"), 'format is "other", but must be draftlens-conversation'),
        (put("version", value=9), "version is 9, and this Draftlens reads 1"),
        (put("title", value=3), "title is 3, but must be text"),
        (put("created", value=None), "created is missing"),
        (put("messages", value={}), "messages is {}, but must be a list"),
        (put("messages", 1, value="x"), 'messages[1] is "x", but must be an object'),
        (put("messages", 1, "role", value="robot"), 'messages[1].role is "robot", but must be one of user, assistant'),
        (put("messages", 1, "parent", value="x"), 'messages[1].parent is "x", which is no earlier message'),
        (put("messages", 0, "content", value=None), "messages[0].content is missing"),
        (
            put("messages", 0, "content", value=[{"type": "text", "text": "a"}]),
            'messages[0].content is [{"type": "text", "text": "a"}], but must be text',
        ),
        (put("messages", 0, "status", value=["x"]), 'messages[0].status is ["x"], but must be one of complete'),
        (put("messages", 1, "runs", 0, "rounds", 1, "rule", value="none"), "messages[1].runs[0].rounds[1] cannot be"),
        (put("messages", 1, "runs", 0, "rounds", 0, value={"version": 1}), "rounds[0].index is missing"),
        (put("messages", 1, "runs", 0, "params", "k", value=500), "messages[1].runs[0].params cannot be used: k"),
        (put("messages", 1, "runs", 0, "summary", "finish", value="boredom"), 'summary.finish is "boredom"'),
        (put("messages", 1, "runs", 0, "rounds", 1, "text", value=3), "rounds[1].text is 3, but must be text"),
        (
            put("messages", 1, "runs", 0, "rounds", 1, "emitted", 0, "p", value="x"),
            'rounds[1].emitted[0].p is "x", but must',
        ),
        (put("messages", 1, "runs", 0, "rounds", 1, "proposals", 0, "fate", value="lost"), "rounds[1] cannot be read"),
        (put("params", "closed_forms", value="yes"), 'params.closed_forms is "yes", but must be true or false'),
        (put("params", "sampling", value=[]), "params.sampling is [], but must be an object"),
        (put("chosen", value=[["x", "y"]]), 'chosen[0] is ["x", "y"], which is no message and its child'),
        (put("chosen", value=[[None, ["x"]]]), "chosen[0]"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_imported(
    db: Database, change: Callable[[dict[str, Any]], None], problem: str
) -> None:
    c, _ = rich(db)
    document = json.loads(export_json(db, c.id))
    change(document)
    with pytest.raises(UserError) as caught:
        import_json(db, json.dumps(document), "chat.json")
    assert caught.value.sentence.startswith("chat.json cannot be imported: ")
    assert problem in caught.value.sentence
    assert len(conversations.entries(db)) == 1


def test_a_file_of_a_newer_version_leads_to_a_newer_program(db: Database) -> None:
    c, _ = rich(db)
    document = json.loads(export_json(db, c.id)) | {"version": 9}
    with pytest.raises(UserError) as caught:
        import_json(db, json.dumps(document), "chat.json")
    assert caught.value.next_step == "Nothing was imported; a newer Draftlens may read it."


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b'{"format":\n oops}', "line 2, column 2"),
        (b"\xff\xfe", "not UTF-8 text"),
        (b"[]", "the file is [], but must be an object"),
        (b"[" * 100_000, "nested too deeply"),
        (b"", "line 1, column 1"),
    ],
)
def test_what_is_not_our_json_is_refused_in_a_sentence(db: Database, source: bytes, problem: str) -> None:
    with pytest.raises(UserError) as caught:
        import_json(db, source)
    assert problem in caught.value.sentence
    assert "Nothing was imported" in str(caught.value.next_step)


def test_markdown_is_the_shown_path_with_who_said_it(db: Database) -> None:
    c, _ = rich(db)
    lines = to_markdown(c).splitlines()
    assert lines[:4] == ["# A chat", "", "> Be brief.", ""]
    heads = [line for line in lines if line.startswith("## ")]
    assert heads[0].startswith("## You · ")
    assert heads[1].startswith("## target · rule=stochastic asked, temperature 0.5 · ")
    assert "one a b two" in lines
    assert "Or else" not in lines


def test_markdown_says_how_an_unfinished_reply_ended() -> None:
    failed = Message("b", "a", Role.ASSISTANT, "", 1.0, Status.FAILED, run=RUN, error="No memory.")
    c = Conversation("c", "x\ny", 0, 0, (Message("a", None, Role.USER, "hi", 1.0), failed))
    text = to_markdown(c)
    assert text.startswith("# x y\n")
    assert " · failed · " in text
    assert "*No memory.*" in text
