"""A reply of a comparison becomes the beginning of a chat: its prompt, its text, its rounds, its settings."""

from __future__ import annotations

from dataclasses import replace

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.reply import Reply
from draftlens.bridge.run import Run
from draftlens.compare.comparison import ArmReply
from draftlens.compare.plan import Prompt
from draftlens.core.chat import RunSummary, prompt_below, reply_to, title_from
from draftlens.core.commands import Request
from draftlens.core.events import Finished
from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason


def use_settings(bridge: EngineBridge, params: SessionParams) -> None:
    """Ask the next reply of the chat in view to be like an arm; length and seed stay the chat's own."""
    own = bridge.next_reply.params
    bridge.next_reply.take(replace(params, max_tokens=own.max_tokens, seed=own.seed, candidates=own.candidates))


def continue_from(bridge: EngineBridge, prompt: Prompt, kept: ArmReply, params: SessionParams) -> bool:
    """Open a new chat that holds an arm's prompt and reply; return whether there was one."""
    if bridge.running or not kept.rounds:
        return False
    bridge.new_chat()
    chat = bridge.chat
    use_settings(bridge, params)
    asked = prompt_below(None, prompt.text, ())
    system = next((content for role, content in prompt.messages if role == "system"), None)
    chat.conversation = replace(
        chat.conversation, title=title_from(prompt.text), system_prompt=system, params=bridge.next_reply.params
    )
    bridge.archive.create(chat.conversation)
    chat.saved = True
    loaded = bridge.loaded
    name = "Reply" if loaded is None else loaded.target.name
    drafter = None if loaded is None or loaded.drafter is None else loaded.drafter.name
    answer = reply_to(asked.id, RunSummary(name, drafter, params))
    chat.conversation = chat.conversation.add(asked).add(answer)
    reply = Reply(0, params, name, message=answer.id)
    chat.follow(reply)
    run = Run(chat, reply, Request(0, params), bridge.archive.begin(chat.id, asked, answer))
    for event in kept.events():
        run.take(event)
    if not run.over:
        run.take(Finished(0, FinishReason.STOPPED, "", seed=params.seed or 0))
    bridge.pathChanged.emit()
    bridge.listChanged.emit()
    bridge.stateChanged.emit()
    bridge.figuresChanged.emit()
    return True
