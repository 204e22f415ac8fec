const LISTED = "parent_run_id IS NULL AND NOT temporary";

/** SQL that counts what belongs to a user, in the same words on both engines. `user` is the parameter with the id. */
export function countOwned(user: string): string {
  const counts = {
    conversations: `SELECT count(*) FROM sessions WHERE user_id = ${user} AND ${LISTED}`,
    messages: `SELECT count(*) FROM messages WHERE session_id IN (SELECT id FROM sessions WHERE user_id = ${user} AND ${LISTED})`,
    artifacts: `SELECT count(*) FROM artifacts WHERE user_id = ${user}`,
    files: `SELECT count(*) FROM files WHERE user_id = ${user}`,
    bytes: `SELECT coalesce(sum(size), 0) FROM files WHERE user_id = ${user}`,
    projects: `SELECT count(*) FROM projects WHERE user_id = ${user} AND NOT personal`,
    members: `SELECT count(DISTINCT m.user_id) FROM project_members AS m JOIN projects AS p ON p.id = m.project_id WHERE p.user_id = ${user}`,
    memories: `SELECT count(*) FROM memories WHERE user_id = ${user}`,
    links: `SELECT count(*) FROM shares WHERE user_id = ${user}`,
  };
  const columns = Object.entries(counts).map(
    ([name, sql]) => `CAST((${sql}) AS DOUBLE PRECISION) AS ${name}`,
  );
  return `SELECT ${columns.join(", ")}`;
}
