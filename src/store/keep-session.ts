/**
 * Returns SQL that lists a temporary session from now on, and has the search index read everything in it. Both engines take the
 * same words. `id` stands for its id.
 */
export function keepSession(id: string): { keep: string; index: string } {
  return {
    keep: `UPDATE sessions SET temporary = FALSE, compared = FALSE WHERE id = ${id} AND temporary`,
    index: `INSERT INTO search_changes (kind, id)
     SELECT 'conversation', id FROM sessions WHERE id = ${id}
     UNION ALL SELECT 'message', id FROM messages WHERE session_id = ${id}
     UNION ALL SELECT 'artifact', id FROM artifacts WHERE session_id = ${id}
     UNION ALL SELECT 'file', id FROM files WHERE session_id = ${id}`,
  };
}
