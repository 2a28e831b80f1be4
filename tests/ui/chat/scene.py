"""A transcript with one reply that grows."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from draftlens.bridge.archive import Archive
from draftlens.bridge.chat import Chat
from draftlens.bridge.reply import Reply
from draftlens.core.chat import RunSummary, prompt_below, reply_to
from draftlens.core.events import Finished
from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason
from draftlens.ui.chat.code_block import CodeBlock
from draftlens.ui.chat.prose import Prose
from draftlens.ui.chat.transcript import Transcript
from draftlens.ui.theme import Theme
from fakes import step

RUN = RunSummary("model", None, SessionParams())


class Scene:
    """A transcript with one reply that grows."""

    def __init__(self, theme: Theme, qtbot: QtBot) -> None:
        self.chat = Chat(Archive())
        prompt = prompt_below(None, "Hi")
        answer = reply_to(prompt.id, RUN)
        self.chat.conversation = self.chat.conversation.add(prompt).add(answer)
        self.reply = Reply(1, SessionParams(), "model", message=answer.id)
        self.chat.follow(self.reply)
        self.view = Transcript(theme)
        qtbot.addWidget(self.view)
        self.view.resize(600, 300)
        self.view.show()
        self.view.show_chat(self.chat)

    def say(self, *texts: str) -> None:
        for text in texts:
            self.reply.add(step(len(self.reply.rounds), text))
        self.view.refresh()

    def end(self) -> None:
        self.reply.end(Finished(1, FinishReason.END_OF_TEXT, ""))
        self.view.refresh()

    @property
    def proses(self) -> list[Prose]:
        return [p for p in self.view.turns[-1].body.parts if isinstance(p, Prose)]

    @property
    def codes(self) -> list[CodeBlock]:
        return [p for p in self.view.turns[-1].body.parts if isinstance(p, CodeBlock)]
