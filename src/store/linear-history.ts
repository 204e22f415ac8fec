/**
 * Makes each message the child of the one before it, for data of versions without branches. Both engines share this SQL.
 * Released migrations contain it, so it must not change.
 */
export const LINEAR_HISTORY = `
  UPDATE messages SET parent_id = (
    SELECT m.id FROM messages AS m WHERE m.session_id = messages.session_id AND m.position < messages.position
    ORDER BY m.position DESC LIMIT 1
  );
  UPDATE sessions SET head_id = (
    SELECT m.id FROM messages AS m WHERE m.session_id = sessions.id ORDER BY m.position DESC LIMIT 1
  );
  UPDATE runs SET parent_id = coalesce(
    (SELECT m.parent_id FROM messages AS m WHERE m.id = runs.message_id),
    (SELECT s.head_id FROM sessions AS s WHERE s.id = runs.session_id)
  );
`;
