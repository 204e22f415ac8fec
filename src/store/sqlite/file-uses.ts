/** Notes which files the stored messages and requests refer to. */
export const FILE_USES = `
  INSERT OR IGNORE INTO file_uses (session_id, file_id)
    SELECT m.session_id, t.atom FROM messages AS m,
      json_tree(CASE WHEN instr(m.parts, '"file_') > 0 AND json_valid(m.parts) THEN m.parts ELSE '[]' END) AS t
    WHERE t.key IN ('id', 'fileId') AND t.atom IN (SELECT id FROM files);
  INSERT OR IGNORE INTO file_uses (session_id, file_id)
    SELECT r.session_id, t.atom FROM runs AS r,
      json_tree(CASE WHEN instr(r.request, '"asideId"') > 0 AND json_valid(r.request) THEN r.request ELSE '[]' END) AS t
    WHERE t.key = 'asideId' AND t.type = 'text';
  `;
