/**
 * Returns the statements that copy an artifact, in the same words on both engines. The parameters of the first are the copy's id, its
 * session, its owner, the original's id and its owner; those of the second the copy's id, the original's id and a version.
 */
export function copyArtifact(parameter: (number: number) => string): { artifact: string; versions: string } {
  const [first, second, third, fourth, fifth] = [1, 2, 3, 4, 5].map(parameter);
  return {
    artifact: `INSERT INTO artifacts (id, session_id, user_id, created_at)
      SELECT ${first}, ${second}, ${third}, created_at FROM artifacts WHERE id = ${fourth} AND user_id = ${fifth}`,
    versions: `INSERT INTO artifact_versions (artifact_id, version, type, title, language, code, issues, format, created_at)
      SELECT a.id, v.version, v.type, v.title, v.language, v.code, v.issues, v.format, v.created_at
      FROM artifacts AS a JOIN artifact_versions AS v ON v.artifact_id = ${second}
      WHERE a.id = ${first} AND NOT EXISTS (SELECT 1 FROM artifact_versions AS later WHERE later.artifact_id = ${second}
        AND later.version > ${third} AND later.version <= v.version AND later.run_id IS NOT NULL)`,
  };
}
