-- A story as the first version of the format has it: two turns, the second of them with a plan that failed
-- and the one that took its place.
CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE turns (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    parent      INTEGER REFERENCES turns (id),
    depth       INTEGER NOT NULL,
    prompt      TEXT NOT NULL,
    narration   TEXT NOT NULL,
    outcome     TEXT NOT NULL,
    choices     TEXT NOT NULL,
    patch       TEXT NOT NULL,
    started_at  TEXT NOT NULL,
    finished_at TEXT NOT NULL
) STRICT;
CREATE INDEX turns_by_parent ON turns (parent);
CREATE TABLE plans (
    id             TEXT NOT NULL PRIMARY KEY,
    turn           INTEGER NOT NULL REFERENCES turns (id),
    attempt        INTEGER NOT NULL,
    parent_plan_id TEXT,
    planner        TEXT NOT NULL,
    status         TEXT NOT NULL,
    plan           TEXT NOT NULL,
    result         TEXT,
    errors         TEXT NOT NULL,
    created_at     TEXT NOT NULL
) STRICT;
CREATE INDEX plans_by_turn ON plans (turn);
CREATE TABLE assets (
    turn       INTEGER NOT NULL REFERENCES turns (id),
    plan       TEXT NOT NULL REFERENCES plans (id),
    tool_id    TEXT NOT NULL,
    asset_id   TEXT NOT NULL,
    kind       TEXT NOT NULL,
    media_type TEXT NOT NULL,
    path       TEXT NOT NULL,
    metadata   TEXT
) STRICT;
CREATE INDEX assets_by_turn ON assets (turn);
CREATE INDEX assets_by_plan ON assets (plan);
CREATE TABLE head (
    only  INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
    turn  INTEGER REFERENCES turns (id),
    state TEXT NOT NULL
) STRICT;
CREATE TABLE snapshots (
    turn  INTEGER NOT NULL PRIMARY KEY REFERENCES turns (id),
    state TEXT NOT NULL
) STRICT;
INSERT INTO meta VALUES ('seed', '42'), ('opened_at', '2023-11-14T22:13:20Z');
INSERT INTO turns VALUES
    (1, NULL, 1, 'enter', 'You enter.', 'told', '["left"]', '[{"hp":7}]',
     '2023-11-14T22:13:21Z', '2023-11-14T22:13:22Z'),
    (2, 1, 2, 'fight', 'You fight.', 'told', '[]', '[{"hp":3},{"foe":"rat"}]',
     '2023-11-14T22:14:21Z', '2023-11-14T22:14:22Z');
INSERT INTO plans VALUES
    ('zz-entering', 1, 1, NULL, 'lexical', 'complete', '{"tools":[]}', '{"success":true}', '[]',
     '2023-11-14T22:13:21Z'),
    ('mm-fighting', 2, 1, NULL, 'lexical', 'replanning', '{"tools":[]}', '{"success":false}',
     '["the sword broke"]', '2023-11-14T22:14:21Z'),
    ('aa-fighting', 2, 2, 'mm-fighting', 'lexical', 'complete', '{"tools":[]}', NULL, '[]',
     '2023-11-14T22:14:22Z');
INSERT INTO assets VALUES
    (2, 'aa-fighting', 'draw', 'rat', 'image', 'image/png', 'assets/rat.png', NULL);
INSERT INTO head VALUES (1, 2, '{"hp":3,"foe":"rat"}');
PRAGMA application_id = 0x4e617272;
PRAGMA user_version = 1;
