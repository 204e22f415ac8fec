/** SQL for the day of a run, by which its events are partitioned. */
export function dayOf(createdAt: string): string {
  return `(${createdAt} AT TIME ZONE 'UTC')::date`;
}

/**
 * Events in rows of one commit each, partitioned by the day on which their run began, and folded ones. Instances of the
 * former version read and write single events through the view that has the name of their table.
 */
export const JOURNAL_TABLES = `
  -- A page has the events of one run in one commit, one a line. Its number is that of the last of them.
  CREATE TABLE run_pages (
    run_id TEXT NOT NULL,
    day DATE NOT NULL,
    seq INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (run_id, day, seq)
  ) PARTITION BY RANGE (day);
  -- For days without their own partition. Pages move there as soon as there is one.
  CREATE TABLE run_pages_other PARTITION OF run_pages DEFAULT;

  -- What the events of a run that has ended say beyond its transcript.
  CREATE TABLE run_folded (run_id TEXT PRIMARY KEY REFERENCES runs ON DELETE CASCADE, bytes BYTEA NOT NULL);
  ALTER TABLE run_folded ALTER COLUMN bytes SET STORAGE EXTERNAL;
  ALTER TABLE runs ADD COLUMN folded BOOLEAN NOT NULL DEFAULT FALSE;
  CREATE INDEX runs_to_fold ON runs (created_at) WHERE NOT folded AND NOT events_cleared;

  ALTER TABLE run_events RENAME TO former_events;
  CREATE VIEW run_events AS
    SELECT run_id, seq, json FROM former_events
    UNION ALL
    SELECT p.run_id, (p.seq - cardinality(p.lines) + line.place)::int, line.json
    FROM (SELECT run_id, seq, string_to_array(json, chr(10)) AS lines FROM run_pages) AS p,
      unnest(p.lines) WITH ORDINALITY AS line (json, place);
  CREATE FUNCTION add_former_event() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      INSERT INTO former_events (run_id, seq, json) VALUES (NEW.run_id, NEW.seq, NEW.json);
      RETURN NEW;
    END $$;
  CREATE TRIGGER add_former_event INSTEAD OF INSERT ON run_events
    FOR EACH ROW EXECUTE FUNCTION add_former_event();
  CREATE FUNCTION delete_former_event() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      DELETE FROM former_events WHERE run_id = OLD.run_id AND seq = OLD.seq;
      DELETE FROM run_pages WHERE run_id = OLD.run_id AND seq = OLD.seq;
      RETURN OLD;
    END $$;
  CREATE TRIGGER delete_former_event INSTEAD OF DELETE ON run_events
    FOR EACH ROW EXECUTE FUNCTION delete_former_event();

  CREATE OR REPLACE FUNCTION delete_events_of_runs() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      DELETE FROM former_events WHERE run_id IN (SELECT id FROM gone);
      DELETE FROM run_pages WHERE run_id IN (SELECT id FROM gone);
      RETURN NULL;
    END $$;
  `;
