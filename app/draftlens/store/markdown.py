"""A conversation as Markdown, for people: the path that is shown, who said what, and with which rule."""

from __future__ import annotations

import time

from draftlens.core.chat import Conversation, Message, Role, Status


def to_markdown(conversation: Conversation) -> str:
    """Return the shown path; other versions are left out, JSON keeps them."""
    parts = [f"# {' '.join(conversation.title.split())}"]
    if conversation.system_prompt:
        parts.append("\n".join(f"> {line}".rstrip() for line in conversation.system_prompt.splitlines()))
    for message in conversation.path:
        parts += [f"## {_speaker(message)}", message.prompt_text.strip("\n") or "*(empty)*"]
        if message.error:
            parts.append(f"*{message.error}*")
    return "\n\n".join(parts) + "\n"


def _speaker(message: Message) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(message.created))
    if message.role is Role.USER:
        return f"You · {when}"
    words = [message.model or "Reply"]
    if message.run is not None:
        params = message.run.params
        words.append(f"rule={params.rule} asked, temperature {params.sampling.temperature:g}")
    if message.status is not Status.COMPLETE:
        words.append(str(message.status))
    return " · ".join([*words, when])
