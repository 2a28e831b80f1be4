"""An abort below Python in the middle of a reply, as of a graphics driver out of memory, costs the chat nothing."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from draftlens.library.demo import DemoPair
from ui.closing import closed, process

REOPENED = """
import json, sys
from draftlens import main
from draftlens.ui import application

class Reopened(application.MainWindow):
    def __init__(self, theme, bridge, *rest):
        super().__init__(theme, bridge, *rest)
        self.said = None
        bridge.modelChanged.connect(self.go_on)
        bridge.textChanged.connect(self.look)
    def go_on(self):
        bridge = self._bridge
        self.said = bridge.problem.detail
        bridge.open(bridge.archive.entries()[0].id)
        reply = bridge.turns[0].reply
        self.before = reply.text
        self.phase, self.shown = reply.phase.name, self.chat.transcript.turns[-1].badge.text()
        assert bridge.resume()
    def look(self):
        reply = self._bridge.turns[0].reply
        if self.isVisible() and len(reply.text) > len(self.before) + 20:
            print(json.dumps([self.said, self.before, self.phase, self.shown, reply.text]), flush=True)
            self.close()

application.MainWindow = Reopened
sys.exit(main.run(sys.argv[1:]))
"""


def test_after_an_abort_the_window_says_what_happened_and_the_reply_goes_on(
    demo_pair: DemoPair, tmp_path: Path
) -> None:
    assert closed("streaming", "abort", demo_pair, tmp_path).code == -signal.SIGABRT
    models = ["--model", str(demo_pair.target), "--draft-model", str(demo_pair.drafter)]
    again = process(["-c", REOPENED, *models], tmp_path)
    assert again.returncode == 0, again.stderr
    said, before, phase, shown, after = json.loads(again.stdout)
    assert said.startswith("Draftlens ended unexpectedly while it wrote a reply: what was written is kept")
    assert "a smaller model" in said
    assert before
    assert (phase, shown) == ("INTERRUPTED", "interrupted")
    assert after.startswith(before)
