"""Messages to token ids through the model's own template; what a user typed never becomes a control token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from draftlens.core.errors import UserError

Messages = Sequence[tuple[str, str]]


def render(tokenizer: Any, messages: Messages) -> list[int]:
    """Return the ids of the rendered chat, ready for the assistant's reply.

    A special token's spelling inside a message is encoded as ordinary text, so that nobody can forge a turn.

    Raises:
        UserError: the template refuses these messages, in the template's own words.
    """
    marked = [(role, f"\ue000{i}\ue001") for i, (role, _) in enumerate(messages)]
    if not any(_names_special(tokenizer, content) for _, content in messages):
        return list(tokenizer.encode(_apply(tokenizer, messages), add_special_tokens=False))
    text = _apply(tokenizer, marked)
    ids: list[int] = []
    for i, (_, content) in enumerate(messages):
        before, mark, text = text.partition(f"\ue000{i}\ue001")
        ids += tokenizer.encode(before, add_special_tokens=False)
        if mark:
            ids += tokenizer.encode(content, add_special_tokens=False, split_special_tokens=True)
    return ids + list(tokenizer.encode(text, add_special_tokens=False))


def _apply(tokenizer: Any, messages: Messages) -> str:
    turns = [{"role": role, "content": content} for role, content in messages]
    try:
        text: str = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UserError(
            f"This model's chat template refuses the conversation: {reason.rstrip('.')}.",
            "Start a new chat, or send the prompt without the template.",
        ) from error
    return text


def _names_special(tokenizer: Any, content: str) -> bool:
    return any(token in content for token in tokenizer.all_special_tokens) or any(
        str(added) in content for added in getattr(tokenizer, "added_tokens_decoder", {}).values() if added.special
    )
