"""The chat: provenance bar, transcript or what to do first, composer; what is typed is kept and counted."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFileDialog, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from draftlens.bridge import figures
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.reply import Phase
from draftlens.bridge.state import Problem, State
from draftlens.core.chat import Attachment, Message, Role, prompt_below
from draftlens.core.round import Source
from draftlens.core.rules import RuleId
from draftlens.samples import sample_prompt
from draftlens.store.drafts import Draft
from draftlens.ui.chat.composer import Composer
from draftlens.ui.chat.empty_chat import EmptyChat
from draftlens.ui.chat.find_bar import FindBar
from draftlens.ui.chat.provenance_bar import ProvenanceBar
from draftlens.ui.chat.speech import Speech
from draftlens.ui.chat.token_steps import TokenSteps
from draftlens.ui.chat.transcript import Transcript
from draftlens.ui.column import Column
from draftlens.ui.dialogs.link import ask_link
from draftlens.ui.theme import Theme

COUNT_MS = 150
"""How long typing must rest before its tokens are counted."""
UNANSWERED_MS = 1000
"""A prompt that cannot be counted is sent after so long: the engine refuses it if it does not fit."""


class ChatPane(QWidget):
    """Everything between the sidebar and the inspector."""

    tokenAsked = Signal(str, int, int)
    logAsked = Signal()

    def __init__(self, theme: Theme, bridge: EngineBridge, shortcut: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(420)
        self._bridge = bridge
        self._ticket = 0
        self._counted: tuple[str, str, tuple[Attachment, ...]] | None = None
        self.waiting: tuple[str, str, tuple[Attachment, ...]] | None = None
        self._editing: str | None = None
        self._draft_key = bridge.chat.draft_key
        self._given_back: str | None = None
        self._beside = Draft()
        self.provenance = ProvenanceBar(theme, shortcut)
        self.find_bar = FindBar(theme)
        self.transcript = Transcript(theme)
        self.empty = EmptyChat()
        self.composer = Composer(theme)
        self._speech = Speech(self.transcript)
        self.token_steps = TokenSteps(self.transcript, bridge.selection, theme)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.transcript)
        self._stack.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 16)
        layout.setSpacing(0)
        layout.addWidget(self.provenance)
        layout.addWidget(self.find_bar)
        layout.addWidget(self._stack, 1)
        layout.addWidget(Column(self.composer, theme=theme))
        self._count = QTimer(self, singleShot=True, interval=COUNT_MS)
        self._count.timeout.connect(self._ask_count)
        self._unanswered = QTimer(self, singleShot=True, interval=UNANSWERED_MS)
        self._unanswered.timeout.connect(self._deliver)
        self._join()
        self._on_chat()

    def ask(self, text: str) -> None:
        """Send a prompt as if it had been typed; what stood in the box stays there."""
        self._beside = Draft(self.composer.text, self.composer.files)
        self.composer.replace(text)
        self.send()

    def send(self) -> None:
        """Send what is written once it is counted; what is too long for the context is refused and stays."""
        if self._bridge.loaded is None or self._bridge.running or self._typed() is None:
            return
        count = self._bridge.count
        self.waiting = self._written()
        if self._counted == self.waiting and count is not None and count.ticket == self._ticket:
            self._deliver()
        else:
            self._ask_count()
            self._unanswered.start()

    def _deliver(self) -> None:
        """Send what waited for its count; what was typed since stays in the box."""
        bridge, composer, meter = self._bridge, self.composer, self.composer.meter
        waiting, self.waiting, beside, self._beside = self.waiting, None, self._beside, Draft()
        self._unanswered.stop()
        if waiting is None or waiting[0] != bridge.chat.draft_key:
            return
        if self._counted == waiting and meter.tokens is not None and meter.tokens >= meter.context > 0:
            bridge.report(
                Problem(
                    "The prompt is too long",
                    f"The chat with this prompt takes {meter.tokens:,} tokens; the model reads {meter.context:,}, "
                    "reply included. Shorten it or start a new chat. Nothing was sent.",
                )
            )
            if beside:
                composer.replace("\n\n".join(filter(None, (composer.text, beside.text))), beside.attachments)
            return
        _, text, files = waiting
        now, edited, self._editing = composer.text, self._editing, None
        sent = bridge.send(text, files) if edited is None else bridge.edit(edited, text, files or None)
        if not sent:
            self._editing = edited
        elif now.startswith(text):
            composer.take()
            composer.put(now.removeprefix(text))
            composer.put(beside.text, beside.attachments)
        if sent and edited is not None:
            composer.end_editing()

    def _written(self) -> tuple[str, str, tuple[Attachment, ...]]:
        return self._bridge.chat.draft_key, self.composer.text, self.composer.files

    def edit_message(self, id: str | None = None) -> None:
        """Put a prompt into the composer to be asked again, the last one if none is named."""
        prompts = [m for m in self._bridge.chat.path if m.role is Role.USER]
        if not prompts or self._bridge.running:
            return
        message = prompts[-1] if id is None else self._bridge.chat.conversation.message(id)
        self._keep()
        self._editing = message.id
        self.composer.replace(message.content, message.attachments)
        self.composer.begin_editing()

    def attach(self) -> None:
        """Choose files to attach."""
        names, _ = QFileDialog.getOpenFileNames(self, "Attach text files")
        self.composer.attach_files(Path(name) for name in names)

    def refresh(self) -> None:
        """Show the state the bridge is in."""
        bridge, state = self._bridge, self._bridge.state
        loading, loaded, shown = bridge.loading, bridge.loaded, bool(bridge.chat.path)
        self._stack.setCurrentWidget(self.transcript if shown else self.empty)
        if loading is not None:
            self.empty.show_loading(loading.stage, loading.fraction, slow=bridge.slow)
        elif loaded is not None:
            self.empty.show_ready(loaded.target.name)
        self.composer.show_state(
            ready=loaded is not None and loading is None and not bridge.running,
            can_stop=loading is not None or bridge.running,
            usable=loaded is not None or loading is not None,
            hint=self._hint() if shown or bridge.running else "",
        )
        self._show_speculation()
        self.transcript.set_busy(bridge.running or loaded is None)
        self.transcript.refresh()
        last = bridge.chat.last
        reply = None if last is None else bridge.chat.known(last.id)
        if state is State.FAILED and reply is not None and not reply.pieces and reply.run:
            self._give_back(reply.message)

    def _give_back(self, reply: str) -> None:
        """Nothing came of a reply: the prompt goes back once, so that it need not be written again."""
        tree = self._bridge.chat.conversation
        parent = tree.message(reply).parent
        if self._given_back != reply and parent is not None:
            self._given_back = reply
            prompt = tree.message(parent)
            self.composer.put(prompt.content, prompt.attachments)

    def _join(self) -> None:
        bridge, composer, transcript = self._bridge, self.composer, self.transcript
        self.provenance.switch.toggled.connect(transcript.set_tinted)
        composer.sendAsked.connect(self.send)
        composer.stopAsked.connect(bridge.stop)
        composer.attachAsked.connect(self.attach)
        composer.changed.connect(self._on_typed)
        composer.refused.connect(lambda title, words: bridge.report(Problem(title, words, warning=True)))
        composer.editingEnded.connect(self._restore_draft)
        self.empty.sampleAsked.connect(self._write_sample)
        self.empty.logAsked.connect(self.logAsked)
        self.empty.retryAsked.connect(bridge.retry)
        self.find_bar.attach(transcript)
        transcript.editAsked.connect(self.edit_message)
        transcript.regenerateAsked.connect(bridge.regenerate)
        transcript.resumeAsked.connect(bridge.resume)
        transcript.switchAsked.connect(bridge.switch)
        transcript.linkAsked.connect(lambda target: ask_link(self, target))
        transcript.tokenAsked.connect(self.tokenAsked)
        bridge.chatChanged.connect(self._on_chat)
        bridge.pathChanged.connect(self._on_path)
        bridge.textChanged.connect(self._on_text)
        bridge.stateChanged.connect(self.refresh)
        bridge.modelChanged.connect(self.refresh)
        bridge.modelChanged.connect(self._count.start)
        bridge.listChanged.connect(self._count.start)
        bridge.figuresChanged.connect(self._on_figures)
        bridge.counted.connect(self._on_counted)
        bridge.next_reply.changed.connect(self._name_replacement)
        bridge.next_reply.changed.connect(self._show_speculation)

    def _hint(self) -> str:
        bridge, loading = self._bridge, self._bridge.loading
        if loading is not None:
            return f"{loading.stage}…" if loading.fraction is None else f"{loading.stage}, {loading.fraction:.0%}"
        if bridge.run is not None and bridge.run.chat is not bridge.chat:
            return f"Replying in “{bridge.run.chat.conversation.title}”"
        return ""

    def _on_chat(self) -> None:
        """Another chat: its turns, and what stood in its composer."""
        self.composer.edit.cancels = False
        self.composer.editing.hide()
        self._draft_key = self._bridge.chat.draft_key
        self._restore_draft()
        self._on_path()
        self._name_replacement()

    def _on_path(self) -> None:
        self._draft_key = self._bridge.chat.draft_key
        self.transcript.show_chat(self._bridge.chat)
        self.find_bar.restart()
        self.refresh()
        self._count.start()

    def _on_text(self) -> None:
        self.transcript.refresh()
        last = self._bridge.chat.last
        reply = None if last is None else self._bridge.chat.known(last.id)
        if reply is not None:
            self._speech.hear(reply)

    def _on_figures(self) -> None:
        reply = self._bridge.reply
        if reply is not None and reply.phase is not Phase.WAITING:
            self.transcript.refresh_header()
            self._name_replacement()

    def _on_typed(self) -> None:
        if self._editing is None:
            self._keep()
        self._count.start()

    def _keep(self) -> None:
        if self._editing is None:
            self._bridge.archive.keep_draft(self._draft_key, Draft(self.composer.text, self.composer.files))

    def _restore_draft(self) -> None:
        self._editing = None
        draft = self._bridge.archive.draft(self._draft_key)
        self.composer.replace(draft.text, draft.attachments)

    def _ask_count(self) -> None:
        """Ask what the whole chat takes with what is typed, as the template writes it."""
        bridge = self._bridge
        if bridge.loaded is None:
            self.composer.meter.show_count(None, 0)
            return
        messages = bridge.chat.with_typed(bridge.system, self._typed(), self._editing)
        if not messages:
            self.composer.meter.show_count(0, bridge.loaded.target.context)
            return
        self._counted = self._written()
        self._ticket = bridge.ask_count(messages)

    def _typed(self) -> Message | None:
        text, files = self.composer.text, self.composer.files
        return prompt_below(None, text, files) if text.strip() or files else None

    def _on_counted(self) -> None:
        count = self._bridge.count
        if count is not None and count.ticket == self._ticket:
            self.composer.meter.show_count(count.tokens, count.context)
            if self.waiting is not None:
                self._deliver()

    def _show_speculation(self) -> None:
        bridge = self._bridge
        started = bridge.run.reply.started if bridge.run is not None else None
        text, on = figures.speculation_chip(bridge.next_reply, bridge.loaded, started)
        self.composer.show_speculation(text, on=on)
        self.composer.chip.setVisible(bridge.loaded is not None)

    def _name_replacement(self) -> None:
        reply = self._bridge.reply
        rule = (None if reply is None else reply.stats.rule) or self._bridge.next_reply.rule
        self.provenance.show_replacement(Source.RESIDUAL if rule is RuleId.STOCHASTIC else Source.TARGET)

    def _write_sample(self) -> None:
        self.composer.put(sample_prompt())
        self.composer.edit.setFocus()
