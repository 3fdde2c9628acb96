-- Numbers of sessions are per tenant; rows of erased sessions stay, so that no id is used again.
CREATE TABLE tenant (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    number INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    tenant INTEGER NOT NULL,
    name TEXT NOT NULL,
    number INTEGER NOT NULL,
    create_key TEXT NOT NULL,
    create_hash BLOB NOT NULL,
    revision INTEGER NOT NULL DEFAULT 1,
    state TEXT NOT NULL,
    node TEXT,
    incarnation INTEGER,
    reason TEXT,
    attributes BLOB NOT NULL,
    UNIQUE (tenant, name),
    UNIQUE (tenant, create_key),
    UNIQUE (tenant, number)
) STRICT;
CREATE INDEX session_node ON session (node) WHERE node IS NOT NULL;

-- The part of a session that appends change, in small rows.
CREATE TABLE head (
    id INTEGER PRIMARY KEY,
    tenant INTEGER NOT NULL,
    status INTEGER NOT NULL DEFAULT 0, -- 0: no owner, 1: owned, 2: erased
    epoch INTEGER NOT NULL DEFAULT 0,
    first INTEGER NOT NULL DEFAULT 1,
    last INTEGER NOT NULL DEFAULT 0,
    submitted INTEGER NOT NULL DEFAULT 0,
    applied INTEGER NOT NULL DEFAULT 0,
    voids INTEGER NOT NULL DEFAULT 0 -- rows of events found beyond the last one
) STRICT;

-- Rows are added at the end of the table. `WITHOUT ROWID` would be four times slower.
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    sid INTEGER NOT NULL,
    k INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX event_k ON event (sid, k);

CREATE TABLE checkpoint (
    sid INTEGER PRIMARY KEY,
    k INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

-- The body is removed when the command is applied; the key and the hash stay.
CREATE TABLE inbox (
    id INTEGER PRIMARY KEY,
    sid INTEGER NOT NULL,
    k INTEGER NOT NULL,
    name TEXT NOT NULL,
    hash BLOB NOT NULL,
    body BLOB,
    UNIQUE (sid, name)
) STRICT;
CREATE UNIQUE INDEX inbox_waiting ON inbox (sid, k) WHERE body IS NOT NULL;

CREATE TABLE interaction (
    id INTEGER PRIMARY KEY,
    sid INTEGER NOT NULL,
    tenant INTEGER NOT NULL,
    name TEXT NOT NULL,
    body BLOB NOT NULL,
    expires INTEGER,
    state INTEGER NOT NULL DEFAULT 0, -- 0: pending, 1: answered, 2: expired, 3: withdrawn
    answer_key TEXT,
    answer BLOB,
    UNIQUE (sid, name)
) STRICT;
CREATE INDEX interaction_pending ON interaction (tenant, id) WHERE state = 0;

CREATE TABLE node (
    name TEXT PRIMARY KEY,
    incarnation INTEGER NOT NULL,
    counter INTEGER NOT NULL,
    is_leaving INTEGER NOT NULL,
    body BLOB NOT NULL,
    revision INTEGER NOT NULL
) STRICT;

CREATE TABLE blob (
    id INTEGER PRIMARY KEY,
    sid INTEGER NOT NULL,
    hash TEXT NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (sid, hash)
) STRICT;

CREATE TABLE mirror_file (
    id INTEGER PRIMARY KEY,
    sid INTEGER NOT NULL,
    name TEXT NOT NULL,
    last INTEGER NOT NULL,
    UNIQUE (sid, name)
) STRICT;

CREATE TABLE mirror (
    id INTEGER PRIMARY KEY,
    sid INTEGER NOT NULL,
    file INTEGER NOT NULL,
    k INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX mirror_k ON mirror (sid, file, k);
