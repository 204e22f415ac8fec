/** What the migration for long-running work adds in the same words on both engines. */
export const LONG_RUNS = `CREATE INDEX run_inputs_by_run ON run_inputs (run_id, position);
  CREATE INDEX run_inputs_unused ON run_inputs (run_id) WHERE state IN ('waiting', 'claimed');
  -- The run and the call that a child run works for. Its session is not listed.
  ALTER TABLE runs ADD COLUMN parent_run_id TEXT;
  ALTER TABLE runs ADD COLUMN parent_call_id TEXT;
  CREATE INDEX runs_by_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL;
  ALTER TABLE sessions ADD COLUMN parent_run_id TEXT;
  CREATE INDEX sessions_by_parent ON sessions (parent_run_id) WHERE parent_run_id IS NOT NULL;
  -- The folder that a session of the terminal works in.
  ALTER TABLE sessions ADD COLUMN folder TEXT;
  -- The run that made the change. Older changes have none.
  ALTER TABLE changes ADD COLUMN run_id TEXT;
  -- Who chose the title: NULL for the first words, 'model' or 'person'.
  ALTER TABLE sessions ADD COLUMN titled_by TEXT;`;
