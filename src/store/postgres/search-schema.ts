function on(table: string, when: string, action: string): string {
  const name = `search_${when.split(" ")[0]?.toLowerCase()}_${table}_${action.replaceAll(/\W+/g, "_")}`;
  return `CREATE TRIGGER ${name} AFTER ${when} ON ${table} FOR EACH ROW EXECUTE FUNCTION ${action};`;
}

/**
 * The search index, and what it has to look at again. What is deleted leaves it in the same transaction. A released migration
 * contains it, so it must not change.
 */
export const SEARCH_TABLES = `
  CREATE TABLE search_changes (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind TEXT NOT NULL,
    id TEXT NOT NULL
  );
  CREATE TABLE search_documents (
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    session_id TEXT,
    user_id TEXT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    words TSVECTOR NOT NULL,
    PRIMARY KEY (kind, source)
  );
  CREATE INDEX search_documents_by_words ON search_documents USING GIN (words);
  CREATE INDEX search_documents_by_user ON search_documents (user_id, kind, at);
  CREATE INDEX search_documents_by_session ON search_documents (session_id);
  -- How far texts from before there was an index are in it. A kind without a row is complete.
  CREATE TABLE search_fill (kind TEXT PRIMARY KEY, place TEXT NOT NULL);
  INSERT INTO search_fill (kind, place) VALUES ('conversation', ''), ('message', ''), ('artifact', ''), ('file', '');
  CREATE FUNCTION search_changed() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      INSERT INTO search_changes (kind, id) VALUES (TG_ARGV[0], NEW.id);
      RETURN NULL;
    END $$;
  CREATE FUNCTION search_moved() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      IF TG_ARGV[0] = 'conversation' THEN
        UPDATE search_documents SET user_id = NEW.user_id
          WHERE session_id = NEW.id AND kind IN ('conversation', 'message');
      ELSE
        UPDATE search_documents SET user_id = NEW.user_id WHERE kind = TG_ARGV[0] AND source = NEW.id;
      END IF;
      RETURN NULL;
    END $$;
  CREATE FUNCTION search_removed() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      DELETE FROM search_documents WHERE kind = TG_ARGV[0] AND source = OLD.id;
      RETURN NULL;
    END $$;
  CREATE FUNCTION search_artifact_changed() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      IF TG_OP = 'DELETE' THEN
        DELETE FROM search_documents WHERE kind = 'artifact' AND source = OLD.artifact_id;
        INSERT INTO search_changes (kind, id) VALUES ('artifact', OLD.artifact_id);
      ELSE
        INSERT INTO search_changes (kind, id) VALUES ('artifact', NEW.artifact_id);
      END IF;
      RETURN NULL;
    END $$;
  ${on("sessions", "INSERT OR UPDATE OF title", "search_changed('conversation')")}
  ${on("messages", "INSERT OR UPDATE OF text", "search_changed('message')")}
  ${on("files", "INSERT OR UPDATE OF name", "search_changed('file')")}
  ${on("artifact_versions", "INSERT OR UPDATE OR DELETE", "search_artifact_changed()")}
  ${on("sessions", "UPDATE OF user_id", "search_moved('conversation')")}
  ${on("artifacts", "UPDATE OF user_id", "search_moved('artifact')")}
  ${on("files", "UPDATE OF user_id", "search_moved('file')")}
  ${on("sessions", "DELETE", "search_removed('conversation')")}
  ${on("messages", "DELETE", "search_removed('message')")}
  ${on("artifacts", "DELETE", "search_removed('artifact')")}
  ${on("files", "DELETE", "search_removed('file')")}
`;
