//! The tables of a story's database, version by version.

/// Marks an SQLite file as a story (`PRAGMA application_id`): "Narr" in ASCII.
pub(crate) const APPLICATION_ID: i32 = 0x4e61_7272;

/// The newest version of the format (`PRAGMA user_version`). This program writes only this version.
///
/// Changelog:
/// - 1: `meta`, `turns`, `plans`, `assets`, `head`, `snapshots`.
/// - 2: a plan has an ordinal, a record, and what a list of plans shows of it; `journal`,
///   `journal_plans`, `journal_steps`; `store_now`, `store_log`, `store_size`.
/// - 3: `branches` in place of the table `head`, which is a view now; a turn has a seed, a take and what a fold reads since
///   the last snapshot. The state is no longer written with every turn.
/// - 4: a file of a turn is named by its content, `assets/<SHA-256>.<ending>`.
/// - 5: entities: `entity_now`, `entity_log`, `entity_links`, `entity_sizes`, `memory_words`, `memory_vocabulary`.
/// - 6: a plan has what its planner read of the story (`seen`).
/// - 7: a story may have a campaign: `campaign`, `campaign_documents`.
/// - 8: a turn has a digest.
pub const FORMAT_VERSION: i64 = STEPS.len() as i64;

/// `STEPS[n]` migrates a file of version `n` to version `n + 1`. A released step never changes: the next step
/// corrects its mistakes.
///
/// The file does not check words with a fixed list (`outcome`, `status`), so that a new word needs no
/// rebuilt table; the reader checks them.
pub(crate) const STEPS: [&str; 8] =
    [STEP_1, STEP_2, STEP_3, STEP_4, STEP_5, STEP_6, STEP_7, STEP_8];

const STEP_1: &str = "
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
    INSERT INTO head (only, turn, state) VALUES (1, NULL, '{}');
";

/// `journal.head` does not reference `turns`: a journal may outlive the turn that it continues.
const STEP_2: &str = "
    ALTER TABLE plans ADD COLUMN ordinal    INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE plans ADD COLUMN version    INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE plans ADD COLUMN updated_at TEXT NOT NULL DEFAULT '';
    ALTER TABLE plans ADD COLUMN changes    TEXT;
    ALTER TABLE plans ADD COLUMN reasoning  TEXT;
    ALTER TABLE plans ADD COLUMN record     TEXT;
    UPDATE plans SET ordinal = numbered.ordinal, updated_at = created_at
    FROM (SELECT id, row_number() OVER (ORDER BY rowid) AS ordinal FROM plans) AS numbered
    WHERE plans.id = numbered.id;
    CREATE UNIQUE INDEX plans_by_ordinal ON plans (ordinal);
    CREATE TABLE journal (
        only       INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
        head       INTEGER,
        plan       TEXT NOT NULL,
        prompt     TEXT NOT NULL,
        seed       TEXT NOT NULL,
        started_at TEXT NOT NULL,
        extra      TEXT NOT NULL
    ) STRICT;
    CREATE TABLE journal_plans (
        ordinal        INTEGER NOT NULL PRIMARY KEY,
        id             TEXT NOT NULL UNIQUE,
        attempt        INTEGER NOT NULL,
        parent_plan_id TEXT,
        planner        TEXT NOT NULL,
        status         TEXT NOT NULL,
        plan           TEXT NOT NULL,
        result         TEXT,
        errors         TEXT NOT NULL,
        created_at     TEXT NOT NULL,
        version        INTEGER NOT NULL,
        updated_at     TEXT NOT NULL,
        changes        TEXT,
        reasoning      TEXT,
        record         TEXT
    ) STRICT;
    CREATE TABLE journal_steps (
        place   INTEGER NOT NULL PRIMARY KEY,
        tool_id TEXT NOT NULL UNIQUE,
        step    TEXT NOT NULL
    ) STRICT;
    CREATE TABLE store_now (
        skill TEXT NOT NULL,
        key   TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (skill, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE store_log (
        turn         INTEGER NOT NULL REFERENCES turns (id),
        skill        TEXT NOT NULL,
        key          TEXT NOT NULL,
        value_before TEXT,
        value_after  TEXT,
        PRIMARY KEY (turn, skill, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE store_size (
        only  INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
        bytes INTEGER NOT NULL
    ) STRICT;
    INSERT INTO store_size (only, bytes) VALUES (1, 0);
";

/// The view answers the question of most queries: which turn is the last.
const STEP_3: &str = "
    CREATE TABLE branches (
        name TEXT NOT NULL PRIMARY KEY,
        turn INTEGER REFERENCES turns (id),
        redo INTEGER REFERENCES turns (id)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE turns ADD COLUMN seed TEXT;
    ALTER TABLE turns ADD COLUMN take INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE turns ADD COLUMN since_snapshot INTEGER NOT NULL DEFAULT 0;
    INSERT INTO branches (name, turn) SELECT 'main', turn FROM head;
    INSERT INTO snapshots (turn, state) SELECT turn, state FROM head WHERE turn IS NOT NULL
        ON CONFLICT (turn) DO UPDATE SET state = excluded.state;
    INSERT INTO meta (key, value) VALUES ('branch', 'main');
    DROP TABLE head;
    CREATE VIEW head (branch, turn) AS
        SELECT branches.name, branches.turn FROM branches
        JOIN meta ON meta.key = 'branch' AND meta.value = branches.name;
";

/// [`crate::older_assets`] stores the files themselves.
const STEP_4: &str = "
    CREATE INDEX assets_by_path ON assets (path);
";

/// `memory_words` keeps no texts, so a row is written again whenever its memory is.
const STEP_5: &str = "
    CREATE TABLE entity_now (
        kind   TEXT NOT NULL,
        number INTEGER NOT NULL,
        value  TEXT NOT NULL,
        name   TEXT,
        turn   INTEGER NOT NULL,
        PRIMARY KEY (kind, number)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX entity_by_name ON entity_now (kind, name) WHERE name IS NOT NULL;
    CREATE INDEX memory_by_turn ON entity_now (turn, number) WHERE kind = 'memory';
    CREATE TABLE entity_log (
        turn         INTEGER NOT NULL REFERENCES turns (id),
        kind         TEXT NOT NULL,
        number       INTEGER NOT NULL,
        value_before TEXT,
        value_after  TEXT,
        PRIMARY KEY (turn, kind, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE entity_links (
        target TEXT NOT NULL,
        kind   TEXT NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (target, kind, number)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX entity_links_by_source ON entity_links (kind, number);
    CREATE TABLE entity_sizes (
        kind  TEXT NOT NULL PRIMARY KEY,
        count INTEGER NOT NULL,
        bytes INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE VIRTUAL TABLE memory_words USING fts5 (
        summary, about, marks, content = '', contentless_delete = 1,
        tokenize = 'unicode61 remove_diacritics 2'
    );
    CREATE VIRTUAL TABLE memory_vocabulary USING fts5vocab (memory_words, row);
";

const STEP_6: &str = "
    ALTER TABLE plans ADD COLUMN seen TEXT;
    ALTER TABLE journal_plans ADD COLUMN seen TEXT;
";

/// The documents have a row number, because SQLite stores long texts inefficiently in a table without one.
const STEP_7: &str = "
    CREATE TABLE campaign (
        only             INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
        name             TEXT NOT NULL,
        campaign_version TEXT NOT NULL,
        title            TEXT NOT NULL
    ) STRICT;
    CREATE TABLE campaign_documents (
        document TEXT NOT NULL PRIMARY KEY,
        sha256   TEXT NOT NULL,
        text     TEXT NOT NULL
    ) STRICT;
";

/// [`crate::digests`] computes them.
const STEP_8: &str = "
    ALTER TABLE turns ADD COLUMN digest TEXT;
";
