-- Version 1 of the database, never edited after a release: later versions are steps in migrations.py.

CREATE TABLE conversation (
    row           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    title         TEXT NOT NULL,
    named         INTEGER NOT NULL DEFAULT 0,
    created       REAL NOT NULL,
    updated       REAL NOT NULL,
    deleted       REAL,                     -- when it was moved to Recently Deleted
    system_prompt TEXT,                     -- NULL follows the settings, as does params
    params        TEXT,
    chosen        TEXT                      -- the first message that is shown, where there are several
) STRICT;

CREATE INDEX conversation_by_date ON conversation (updated);

CREATE TABLE message (
    row          INTEGER PRIMARY KEY,       -- rises with the order of making
    id           TEXT NOT NULL UNIQUE,
    conversation INTEGER NOT NULL REFERENCES conversation (row) ON DELETE CASCADE,
    parent       TEXT,
    role         TEXT NOT NULL,
    content      TEXT NOT NULL,
    created      REAL NOT NULL,
    status       TEXT NOT NULL,
    attachments  TEXT,                      -- JSON [[name, text], …]
    error        TEXT,
    chosen       TEXT                       -- the child that is shown
) STRICT;

CREATE INDEX message_of_conversation ON message (conversation);
CREATE INDEX message_streaming ON message (status) WHERE status = 'streaming';

-- A reply has one run, and one more each time it is continued.
CREATE TABLE run (
    row     INTEGER PRIMARY KEY,
    message INTEGER NOT NULL REFERENCES message (row) ON DELETE CASCADE,
    start   INTEGER NOT NULL,               -- characters of the reply before it
    params  TEXT NOT NULL,                  -- asked
    summary TEXT NOT NULL                   -- the rest of the summary
) STRICT;

CREATE INDEX run_of_message ON run (message);

-- The rounds of a run as zlib-compressed JSON arrays, one chunk a checkpoint.
CREATE TABLE chunk (
    row    INTEGER PRIMARY KEY,
    run    INTEGER NOT NULL REFERENCES run (row) ON DELETE CASCADE,
    rounds BLOB NOT NULL
) STRICT;

CREATE INDEX chunk_of_run ON chunk (run);

CREATE TABLE preset (
    row           INTEGER PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE COLLATE NOCASE,
    params        TEXT NOT NULL,
    system_prompt TEXT
) STRICT;

-- Unsent text; the key '' is the chat that does not exist yet.
CREATE TABLE draft (
    conversation TEXT PRIMARY KEY,
    text         TEXT NOT NULL,
    attachments  TEXT
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE title_index USING fts5 (
    title, content = 'conversation', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);

CREATE TRIGGER title_added AFTER INSERT ON conversation BEGIN
    INSERT INTO title_index (rowid, title) VALUES (new.row, new.title);
END;
CREATE TRIGGER title_removed AFTER DELETE ON conversation BEGIN
    INSERT INTO title_index (title_index, rowid, title) VALUES ('delete', old.row, old.title);
END;
CREATE TRIGGER title_changed AFTER UPDATE OF title ON conversation BEGIN
    INSERT INTO title_index (title_index, rowid, title) VALUES ('delete', old.row, old.title);
    INSERT INTO title_index (rowid, title) VALUES (new.row, new.title);
END;

-- A message is in the index if and only if it is not streaming: indexing growing text anew each second costs too much.
CREATE VIRTUAL TABLE text_index USING fts5 (
    content, content = 'message', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);

CREATE TRIGGER text_added AFTER INSERT ON message WHEN new.status <> 'streaming' BEGIN
    INSERT INTO text_index (rowid, content) VALUES (new.row, new.content);
END;
CREATE TRIGGER text_removed AFTER DELETE ON message WHEN old.status <> 'streaming' BEGIN
    INSERT INTO text_index (text_index, rowid, content) VALUES ('delete', old.row, old.content);
END;
-- Before, because the order of two triggers of one kind is not defined, and the index must lose the old text first.
CREATE TRIGGER text_changed_from BEFORE UPDATE OF content, status ON message WHEN old.status <> 'streaming' BEGIN
    INSERT INTO text_index (text_index, rowid, content) VALUES ('delete', old.row, old.content);
END;
CREATE TRIGGER text_changed_to AFTER UPDATE OF content, status ON message WHEN new.status <> 'streaming' BEGIN
    INSERT INTO text_index (rowid, content) VALUES (new.row, new.content);
END;
