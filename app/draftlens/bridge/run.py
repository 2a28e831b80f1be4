"""The reply that is being written: which chat it belongs to, and where it is kept while it grows."""

from __future__ import annotations

from dataclasses import dataclass

from draftlens.bridge.chat import Chat
from draftlens.bridge.reply import Phase, Reply
from draftlens.core.commands import Request
from draftlens.core.events import Failed, Finished, Prefill, ReplyEvent, RoundDone, Started
from draftlens.store.records import ReplyWriter


@dataclass
class Run:
    """Joins engine, chat and store for one reply; whether the chat is in view makes no difference.

    Attributes:
        request: what the engine is asked, sent once the prompt is on disk.
        sent: whether the engine has it.
    """

    chat: Chat
    reply: Reply
    request: Request
    writer: ReplyWriter | None
    sent: bool = False

    def take(self, event: ReplyEvent) -> None:
        """Apply an event to the reply and to what is kept of it."""
        reply, writer = self.reply, self.writer
        reply.take(event)
        match event:
            case Started() if writer is not None:
                writer.start(event.seed, event.note, thinking=event.thinking)
            case Prefill() if writer is not None and event.done == event.total:
                writer.read(event.total, event.cached, event.ms)
            case RoundDone() if writer is not None:
                writer.append([event.round], event.round.text)
            case Finished():
                if writer is not None:
                    read = reply.prefill
                    writer.finish(
                        event.reason,
                        tail=event.tail,
                        seed=event.seed,
                        note=event.speculation_note,
                        shadow_confirmations=event.shadow_confirmations,
                        prefill=None if read is None else (read.total, read.cached, read.ms),
                    )
                self.chat.settle(reply)
            case Failed():
                if writer is not None:
                    writer.fail(event.sentence)
                self.chat.settle(reply)
            case _:
                pass

    def interrupt(self) -> None:
        """The engine or the program ends before the reply does."""
        self.reply.interrupt()
        if self.writer is not None:
            self.writer.interrupt()
        self.chat.settle(self.reply)

    @property
    def over(self) -> bool:
        """Whether the reply has ended."""
        return not self.reply.phase.running and self.reply.phase is not Phase.WAITING
