/**
 * One lease for each process. A run is kept by the lease of its owner once the owner has renewed it for the first time;
 * until then, and for instances of the former version, it has its own.
 */
export const LEASE_TABLES = `
  CREATE TABLE owners (id TEXT PRIMARY KEY, lease_until TIMESTAMPTZ NOT NULL);
  ALTER TABLE runs ADD COLUMN kept BOOLEAN NOT NULL DEFAULT FALSE;
  CREATE INDEX active_runs_by_owner ON runs (owner) WHERE status IN ('running', 'waiting');
  `;
/**
 * Each owner has a fence, which changes before one of its active runs is taken by another or deleted. While it stays, the owner
 * appends to its runs without looking at each of them. The numbers come from a sequence, so an owner that is forgotten and
 * comes back never has an earlier one.
 */
export const FENCES = `
  CREATE SEQUENCE owner_fences;
  ALTER TABLE owners ADD COLUMN fence BIGINT NOT NULL DEFAULT nextval('owner_fences');
  CREATE FUNCTION change_fence() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      UPDATE owners SET fence = nextval('owner_fences') WHERE id = OLD.owner;
      RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
    END $$;
  CREATE TRIGGER change_fence_of_taken_run BEFORE UPDATE OF epoch ON runs
    FOR EACH ROW WHEN (OLD.epoch <> NEW.epoch) EXECUTE FUNCTION change_fence();
  CREATE TRIGGER change_fence_of_deleted_run BEFORE DELETE ON runs
    FOR EACH ROW WHEN (OLD.status IN ('running', 'waiting')) EXECUTE FUNCTION change_fence();
  `;
