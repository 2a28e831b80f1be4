"""Messages to token ids through the model's own template; what a user typed never becomes a control token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from draftlens.core.errors import UserError

Messages = Sequence[tuple[str, str]]

THINKING_TAGS = ("<think>", "<thinking>")


def render(tokenizer: Any, messages: Messages) -> list[int]:
    """Return the ids of the rendered chat, ready for the assistant's reply.

    A special token's spelling inside a message is encoded as ordinary text, so that nobody can forge a turn. A template
    that takes no system turn, or none twice in a row from one side, is given the same words in the turns it takes.

    Raises:
        UserError: the template refuses these messages, in the template's own words.
    """
    shapes = (list(messages), _merged(messages), _merged(_folded(messages)))
    refusal: Exception | None = None
    for shape in shapes:
        try:
            return _encode(tokenizer, shape)
        except Exception as error:
            refusal = refusal or error
    raise UserError(
        f"This model's chat template refuses the conversation: {_reason(refusal)}.",
        "Start a new chat, or send the prompt without the template.",
    ) from refusal


def plain(messages: Messages) -> str:
    """Return the chat as plain text, for a model that has no template."""
    names = {"system": "", "user": "User: ", "assistant": "Assistant: "}
    turns = [f"{names.get(role, f'{role}: ')}{content}" for role, content in messages]
    return "\n\n".join([*turns, "Assistant:"])


def opens_thinking(prompt_end: str) -> bool:
    """Whether a prompt's end has opened a thinking block that the reply goes on with."""
    return prompt_end.rstrip().endswith(THINKING_TAGS)


def _encode(tokenizer: Any, messages: Messages) -> list[int]:
    if not any(_names_special(tokenizer, content) for _, content in messages):
        return list(tokenizer.encode(_apply(tokenizer, messages), add_special_tokens=False))
    # Marks from the private use area stand for the messages while the template's own control tokens are encoded.
    text = _apply(tokenizer, [(role, f"\ue000{i}\ue001") for i, (role, _) in enumerate(messages)])
    ids: list[int] = []
    for i, (_, content) in enumerate(messages):
        before, mark, text = text.partition(f"\ue000{i}\ue001")
        ids += tokenizer.encode(before, add_special_tokens=False)
        if mark:
            ids += tokenizer.encode(content, add_special_tokens=False, split_special_tokens=True)
    return ids + list(tokenizer.encode(text, add_special_tokens=False))


def _apply(tokenizer: Any, messages: Messages) -> str:
    turns = [{"role": role, "content": content} for role, content in messages]
    text: str = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    return text


def _merged(messages: Messages) -> list[tuple[str, str]]:
    """Join turns of one side that follow each other: a stopped reply without a word leaves two of the user's."""
    out: list[tuple[str, str]] = []
    for role, content in messages:
        if out and out[-1][0] == role:
            out[-1] = (role, f"{out[-1][1]}\n\n{content}")
        elif content or role == "user":
            out.append((role, content))
    return out


def _folded(messages: Messages) -> list[tuple[str, str]]:
    """Put the system text at the head of the first user turn."""
    system = "\n\n".join(content for role, content in messages if role == "system")
    rest = [(role, content) for role, content in messages if role != "system"]
    for i, (role, content) in enumerate(rest):
        if role == "user" and system:
            rest[i] = (role, f"{system}\n\n{content}")
            break
    return rest


def _reason(error: Exception | None) -> str:
    text = str(error).strip().splitlines()
    line = getattr(error, "lineno", None)
    reason = text[0].rstrip(".") if text else type(error).__name__
    return reason if line is None else f"{reason} (line {line} of the template)"


def _names_special(tokenizer: Any, content: str) -> bool:
    added = getattr(tokenizer, "added_tokens_decoder", {}).values()
    return any(str(token) in content for token in added if token.special)
