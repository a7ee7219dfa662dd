CREATE TABLE narratoria_work (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL,
    key text NOT NULL,
    kind text NOT NULL,
    body text NOT NULL,
    priority integer NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'ready'
        CHECK (state IN ('ready', 'running', 'done', 'failed', 'quarantined', 'cancelled')),
    run_after timestamptz NOT NULL DEFAULT now(),
    -- Grows with each lease; a result with an older one does not count.
    fence bigint NOT NULL DEFAULT 0,
    losses bigint NOT NULL DEFAULT 0,
    worker text,
    -- The request that took it, so that a request whose answer was lost finds what it took.
    claim text,
    lease_until timestamptz,
    -- The digest of the result that counts.
    result text,
    why text,
    changed timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

CREATE INDEX narratoria_work_ready ON narratoria_work (kind, tenant, priority DESC, id) WHERE state = 'ready';
-- Has no time in it: a heartbeat then changes no index.
CREATE INDEX narratoria_work_running ON narratoria_work (tenant, id) WHERE state = 'running';
CREATE INDEX narratoria_work_ended ON narratoria_work (changed)
    WHERE state IN ('done', 'failed', 'quarantined', 'cancelled');

CREATE TABLE narratoria_work_batch (
    tenant text NOT NULL,
    batch text NOT NULL,
    work bigint NOT NULL REFERENCES narratoria_work ON DELETE CASCADE,
    place bigint NOT NULL,
    PRIMARY KEY (tenant, batch, work)
);
CREATE INDEX narratoria_work_batch_work ON narratoria_work_batch (work);

CREATE TABLE narratoria_work_result (
    work bigint NOT NULL REFERENCES narratoria_work ON DELETE CASCADE,
    digest text NOT NULL,
    body text NOT NULL,
    worker text NOT NULL,
    written timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (work, digest)
);
