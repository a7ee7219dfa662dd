CREATE TABLE IF NOT EXISTS work (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    priority INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'ready',
    -- Times are seconds since 1970, with their fractions.
    run_after REAL NOT NULL DEFAULT 0,
    -- Grows with each lease; a result with an older one does not count.
    fence INTEGER NOT NULL DEFAULT 0,
    losses INTEGER NOT NULL DEFAULT 0,
    worker TEXT,
    lease_until REAL,
    -- The digest of the result that counts.
    result TEXT,
    why TEXT,
    changed REAL NOT NULL,
    UNIQUE (tenant, key)
) STRICT;

CREATE INDEX IF NOT EXISTS work_ready ON work (kind, tenant, priority DESC, id) WHERE state = 'ready';
CREATE INDEX IF NOT EXISTS work_running ON work (tenant, id) WHERE state = 'running';
CREATE INDEX IF NOT EXISTS work_ended ON work (changed)
    WHERE state IN ('done', 'failed', 'quarantined', 'cancelled');

CREATE TABLE IF NOT EXISTS batch (
    tenant TEXT NOT NULL,
    batch TEXT NOT NULL,
    work INTEGER NOT NULL REFERENCES work ON DELETE CASCADE,
    place INTEGER NOT NULL,
    PRIMARY KEY (tenant, batch, work)
) STRICT;
CREATE INDEX IF NOT EXISTS batch_work ON batch (work);

CREATE TABLE IF NOT EXISTS result (
    work INTEGER NOT NULL REFERENCES work ON DELETE CASCADE,
    digest TEXT NOT NULL,
    body TEXT NOT NULL,
    worker TEXT NOT NULL,
    PRIMARY KEY (work, digest)
) STRICT;
