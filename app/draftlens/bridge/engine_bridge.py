"""Conversations on the engine: sent, continued, branched and switched; a reply belongs to its chat, not to the view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Qt, Signal

from draftlens.bridge.archive import Archive
from draftlens.bridge.chat import Chat, Turn
from draftlens.bridge.chat_setup import ChatSetup
from draftlens.bridge.engine_link import ThreadFactory
from draftlens.bridge.next_reply import NextReply
from draftlens.bridge.reply import Reply
from draftlens.bridge.run import Run
from draftlens.bridge.selection import Selection
from draftlens.bridge.state import STATES, Problem, State, joined
from draftlens.core.chat import Attachment, Message, prompt_below, reply_to, title_from
from draftlens.core.commands import Generate, Request
from draftlens.core.events import EngineDied, Event, Failed, Finished, Loading, Prefill, RoundDone, Started
from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason, Round


class EngineBridge(ChatSetup):
    """The chat in view, the reply that runs, and what can be done with both.

    Args:
        system: the system prompt of chats without their own.
        archive: where conversations are kept.
        defaults: the parameters of chats without their own; those of `next_reply` at the start if not given.
    """

    chatChanged = Signal()
    pathChanged = Signal()
    listChanged = Signal()
    selectionChanged = Signal()
    _committed = Signal(int)

    def __init__(
        self,
        make_thread: ThreadFactory,
        next_reply: NextReply,
        system: str = "",
        archive: Archive | None = None,
        defaults: Callable[[], SessionParams] | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(make_thread, next_reply, system, archive or Archive(), defaults, parent)
        self.run: Run | None = None
        self.selection = Selection(self)
        self._open: dict[str, Chat] = {}
        self._runs = 0
        self._selected: str | None = None
        self._committed.connect(self._on_committed, Qt.ConnectionType.QueuedConnection)

    @property
    def turns(self) -> list[Turn]:
        """The turns in view."""
        return self.chat.turns

    @property
    def reply(self) -> Reply | None:
        """The reply whose figures are shown: the one selected, else the last one in view."""
        shown = {m.id for m in self.chat.path}
        if self._selected in shown and self._selected is not None:
            return self.chat.reply(self._selected)
        last = self.chat.last
        return None if last is None else self.chat.reply(last.id)

    @property
    def running(self) -> bool:
        """Whether a reply is on its way, in any chat, or a comparison."""
        return self.run is not None or super().running

    @property
    def state(self) -> State:
        """What the window is doing, as the chat in view shows it."""
        if self.loading is not None:
            return State.LOADING
        if self.loaded is None:
            return State.NO_MODEL
        last = self.chat.last
        if last is None:
            return State.READY
        return STATES.get(self.chat.reply(last.id).phase, State.READY)

    def new_chat(self) -> None:
        """Show an empty chat with the default settings; it is kept from its first prompt on."""
        self._show(Chat(self.archive))

    def open(self, conversation: str) -> bool:
        """Show a conversation; return whether it was found."""
        if conversation == self.chat.id:
            return True
        chat = self._open.get(conversation)
        if self.run is not None and self.run.chat.id == conversation:
            chat = self.run.chat
        if chat is None:
            self.archive.flush()
            found = self.archive.load(conversation)
            if found is None:
                return False
            chat = Chat(self.archive, found)
        self._show(chat)
        return True

    def select(self, message: str | None) -> None:
        """Show a reply's figures beside the chat."""
        if message != self._selected:
            self._selected = message
            self.selectionChanged.emit()
            self.figuresChanged.emit()

    def send(self, text: str, attachments: tuple[Attachment, ...] = ()) -> bool:
        """Ask for a reply to `text`, with the turns before it; return whether it was sent."""
        if not self._free or not (text.strip() or attachments):
            return False
        path = self.chat.path
        return self._ask(prompt_below(path[-1].id if path else None, text, attachments))

    def edit(self, prompt: str, text: str, attachments: tuple[Attachment, ...] | None = None) -> bool:
        """Ask again with a prompt changed: a new version beside the old one."""
        if not self._free or not text.strip():
            return False
        return self._ask(self.chat.conversation.edited(prompt, text, attachments))

    def regenerate(self, id: str | None = None) -> bool:
        """Write a reply again, the last one if none is named: a new version beside the old one."""
        chat = self.chat
        last = chat.last
        id = id or (None if last is None else last.id)
        if not self._free or id is None:
            return False
        return self.begin(None, chat.conversation.regenerated(id, self.summary()))

    def resume(self, id: str | None = None) -> bool:
        """Continue the last reply if it ended early; what was answered since rests on the text as it is."""
        chat = self.chat
        last = chat.last
        if not self._free or last is None or id not in (None, last.id) or not last.can_continue:
            return False
        reply = chat.reply(last.id)
        if not reply.rounds:
            # Nothing to go on from: the same as asking for the first time.
            return self.regenerate(last.id)
        assert last.parent is not None
        run, params = self.summary(), self.next_reply.params
        writer = self.archive.resume(last, run)
        self._runs += 1
        reply.resume(self._runs, params)
        chat.conversation = chat.conversation.choose(last.id)
        chat.follow(reply)
        messages = chat.conversation.turns(self.system, last.parent)
        first = reply.rounds[-1].index + 1
        self._start(Run(chat, reply, Request(self._runs, params, messages, "", reply.tokens, first), writer))
        return True

    def switch(self, id: str, step: int) -> None:
        """Show the version beside a message."""
        changed = self.chat.conversation.switched(id, step)
        if changed is not self.chat.conversation:
            self.chat.conversation = changed
            neighbour = changed.path[[m.parent for m in changed.path].index(changed.message(id).parent)]
            self.archive.choose(neighbour.id)
            self._selected = None
            self.pathChanged.emit()
            self.figuresChanged.emit()
            self.stateChanged.emit()

    def quit(self) -> None:
        """End everything; what a running reply has so far is kept."""
        if not self._closing:
            self._take_all(self._thread.drain() if self._thread is not None else [])
            if self.run is not None:
                self.run.interrupt()
        super().quit()

    @property
    def _free(self) -> bool:
        return self.loaded is not None and self.loading is None and not self.running

    def _show(self, chat: Chat) -> None:
        if self.chat.saved:
            self._open[self.chat.id] = self.chat
        for old in list(self._open)[:-5]:
            if self.run is None or self.run.chat.id != old:
                del self._open[old]
        self.chat = chat
        self._selected = None
        self._adopt(chat.conversation.params or self.defaults())
        self.chatChanged.emit()
        self.stateChanged.emit()
        self.figuresChanged.emit()

    def _ask(self, prompt: Message) -> bool:
        chat = self.chat
        if not chat.saved:
            title = title_from(prompt.content or (prompt.attachments[0].name if prompt.attachments else ""))
            chat.conversation = replace(chat.conversation, title=title)
            self.archive.create(chat.conversation)
            self.archive.clear_draft(chat.draft_key)
            chat.saved = True
        chat.conversation = chat.conversation.add(prompt)
        return self.begin(prompt, reply_to(prompt.id, self.summary()))

    def begin(
        self, prompt: Message | None, answer: Message, kept: tuple[Round, ...] = (), forced: int | None = None
    ) -> bool:
        """Write the reply `answer`: `kept` are rounds it has already, `forced` the token put after them."""
        chat, params = self.chat, self.next_reply.params
        chat.conversation = chat.conversation.add(answer)
        writer = self.archive.begin(chat.id, prompt, answer)
        if prompt is not None:
            self.archive.clear_draft(chat.draft_key)
        self._runs += 1
        reply = Reply(self._runs, params, answer.model or "Reply", message=answer.id)
        reply.keep(kept)
        if writer is not None:
            writer.append(kept, reply.text)
        chat.follow(reply)
        turns, first = chat.conversation.turns(self.system, answer.parent), kept[-1].index + 1 if kept else 0
        asked = Request(self._runs, params, turns, "", reply.tokens, first, forced)
        self._start(Run(chat, reply, asked, writer))
        return True

    def _start(self, run: Run) -> None:
        """Generate once the prompt is on disk; while the disk refuses, at once: the store says it keeps trying."""
        self.dismiss()
        self.run = run
        self._selected = None
        if run.writer is None:
            self._on_committed(run.request.run)
        else:
            number = run.request.run
            run.writer.committed.add_done_callback(lambda _: self._committed.emit(number))
        self.pathChanged.emit()
        self.listChanged.emit()
        self.stateChanged.emit()
        self.figuresChanged.emit()

    def start_unsaved(self) -> None:
        """Stop waiting for the disk: saving fails, and replying need not."""
        if self.run is not None:
            self._on_committed(self.run.request.run)

    def stop(self) -> None:
        """End what runs. A reply that still waits for the disk ends at once: the engine has not heard of it."""
        run = self.run
        if run is None or run.sent:
            super().stop()
        else:
            run.sent = True
            self._take_all([Finished(run.request.run, FinishReason.STOPPED, "")])

    def _on_committed(self, number: int) -> None:
        run = self.run
        if run is not None and run.request.run == number and not run.sent and not self._closing:
            run.sent = True
            self._send(Generate(run.request))

    def _take_all(self, events: list[Event]) -> None:
        before = self.state
        text = False
        for event in events:
            if isinstance(event, Started | Prefill | RoundDone | Finished | Failed):
                text |= self._on_reply(event)
            else:
                self._take(event)
        if text:
            self.textChanged.emit()
        # Loading and prefill move without a change of state, and both are shown.
        if self.state is not before or any(isinstance(e, Loading | Prefill | Finished | Failed) for e in events):
            self.stateChanged.emit()

    def _on_reply(self, event: Started | Prefill | RoundDone | Finished | Failed) -> bool:
        run = self.run
        if run is None or run.reply.run != event.run:
            self._figures_dirty = True
            self.comparisonEvent.emit(event)
            return False
        run.take(event)
        self._figures_dirty = True
        if isinstance(event, Failed):
            detail = joined(event.sentence, event.next_step)
            self.report(Problem("The reply ended with an error", detail))
        if isinstance(event, Finished | Failed):
            self.run = None
            self.listChanged.emit()
        return run.chat is self.chat

    def _on_died(self, event: EngineDied) -> None:
        run, self.run = self.run, None
        if run is not None:
            run.take(Failed(run.reply.run, event.sentence))
            self._figures_dirty = True
            self.textChanged.emit()
        super()._on_died(event)
