"""What stands in a composer is on disk half a second after it was typed."""

from __future__ import annotations

import threading
from pathlib import Path

from draftlens.core.chat import Attachment
from draftlens.store.db import Database
from draftlens.store.drafts import NEW_CHAT, Draft, Drafts
from draftlens.store.opening import open_store


def test_a_draft_is_read_back_at_once_and_after_a_restart(folder: Path) -> None:
    draft = Draft("half a thou\ud83d", (Attachment("x.py", "code"),))
    opened = open_store(folder)
    drafts = Drafts(opened.database)
    drafts.keep(NEW_CHAT, draft)
    drafts.keep("other", Draft("more"))
    assert drafts.read(NEW_CHAT) == draft
    assert opened.database.close()
    opened = open_store(folder)
    drafts = Drafts(opened.database)
    assert drafts.read(NEW_CHAT) == Draft("half a thou?", draft.attachments)
    assert drafts.read("other") == Draft("more")
    assert drafts.read("nothing") == Draft()
    opened.database.close()


def test_a_cleared_draft_is_gone_and_does_not_come_back(folder: Path) -> None:
    opened = open_store(folder)
    drafts = Drafts(opened.database)
    drafts.keep("c", Draft("sent"))
    drafts.clear("c").result(5)
    assert not drafts.read("c")
    assert opened.database.close()
    opened = open_store(folder)
    assert not Drafts(opened.database).read("c")
    opened.database.close()


def test_text_typed_after_clearing_is_kept_though_the_clearing_is_still_waiting(db: Database) -> None:
    drafts = Drafts(db)
    held = threading.Event()
    db.write(lambda connection: held.wait(5))
    drafts.keep("c", Draft("sent"))
    cleared = drafts.clear("c")
    drafts.keep("c", Draft("next"))
    held.set()
    cleared.result(5)
    db.flush(5)
    assert Drafts(db).read("c") == Draft("next")
