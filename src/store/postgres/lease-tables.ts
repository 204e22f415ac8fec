/**
 * One lease for each process. A run is kept by the lease of its owner once the owner has renewed it for the first time;
 * until then, and for instances of the former version, it has its own.
 */
export const LEASE_TABLES = `
  CREATE TABLE owners (id TEXT PRIMARY KEY, lease_until TIMESTAMPTZ NOT NULL);
  ALTER TABLE runs ADD COLUMN kept BOOLEAN NOT NULL DEFAULT FALSE;
  CREATE INDEX active_runs_by_owner ON runs (owner) WHERE status IN ('running', 'waiting');
  `;
