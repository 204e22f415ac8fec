/**
 * The tables of projects, in the same words on both engines: the types of a time, of a flag, and of a number that the engine
 * gives. A released migration contains it, so it must not change.
 */
export function projectTables(time: string, flag: string, number: string): string {
  return `
  -- What a person puts together for one piece of work. The personal one holds in every session.
  CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    personal ${flag} NOT NULL DEFAULT FALSE,
    value TEXT NOT NULL,
    format INTEGER NOT NULL DEFAULT 1,
    created_at ${time} NOT NULL,
    updated_at ${time} NOT NULL
  );
  CREATE INDEX projects_by_user ON projects (user_id);
  CREATE UNIQUE INDEX personal_projects ON projects (user_id) WHERE personal;
  ALTER TABLE sessions ADD COLUMN project_id TEXT REFERENCES projects (id) ON DELETE SET NULL;
  CREATE INDEX sessions_by_project ON sessions (project_id) WHERE project_id IS NOT NULL;
  CREATE TABLE project_members (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    access TEXT NOT NULL CHECK (access IN ('read', 'write')),
    PRIMARY KEY (project_id, user_id)
  );
  CREATE INDEX project_members_by_user ON project_members (user_id);
  CREATE TABLE project_files (
    file_id TEXT PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    added_at ${time} NOT NULL,
    -- Missing until the file was read.
    characters INTEGER,
    problem TEXT
  );
  CREATE INDEX project_files_by_project ON project_files (project_id);
  -- The text of the files in pieces, and its words as they are compared.
  CREATE TABLE project_texts (
    id ${number},
    file_id TEXT NOT NULL REFERENCES project_files (file_id) ON DELETE CASCADE,
    place TEXT NOT NULL,
    text TEXT NOT NULL,
    terms TEXT NOT NULL
  );
  CREATE INDEX project_texts_by_file ON project_texts (file_id);
  -- What is remembered about a person. A line goes with the session that it comes from.
  CREATE TABLE memories (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    created_at ${time} NOT NULL,
    updated_at ${time} NOT NULL
  );
  CREATE INDEX memories_by_user ON memories (user_id, created_at);
  CREATE INDEX memories_by_session ON memories (session_id) WHERE session_id IS NOT NULL;`;
}

/** What searching files by meaning adds, in the same words on both engines. `bytes` is the type of bytes. It must not change. */
export function vectorTables(bytes: string): string {
  return `
  -- The model that all pieces of a file have vectors of, and when another process may take the file over.
  ALTER TABLE project_files ADD COLUMN embedded TEXT;
  ALTER TABLE project_files ADD COLUMN embed_after BIGINT;
  -- What the pieces mean: 32-bit floats, least significant byte first, of length 1.
  CREATE TABLE piece_vectors (
    text_id BIGINT PRIMARY KEY REFERENCES project_texts (id) ON DELETE CASCADE,
    file_id TEXT NOT NULL REFERENCES project_files (file_id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    vector ${bytes} NOT NULL
  );
  CREATE INDEX piece_vectors_by_file ON piece_vectors (file_id, text_id);`;
}
