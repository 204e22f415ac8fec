function bump(name: string, when: string): string {
  return `CREATE TRIGGER control_${name} AFTER ${when} BEGIN UPDATE control_version SET version = version + 1; END;`;
}

/**
 * A number that grows with everything that the owner of a run has to learn from others: it was canceled, taken over or deleted,
 * or a person has sent a message or a decision. A released migration contains it, so it must not change.
 */
export const CONTROL_VERSION = `
  CREATE TABLE control_version (version INTEGER NOT NULL) STRICT;
  INSERT INTO control_version VALUES (0);
  ${bump("run_changed", "UPDATE OF epoch, cancel_requested ON runs")}
  ${bump("run_deleted", "DELETE ON runs")}
  ${bump("input_added", "INSERT ON run_inputs")}
  ${bump("input_changed", "UPDATE OF delivery, run_id ON run_inputs")}
  ${bump("approval_added", "INSERT ON approvals")}
  ${bump("approval_changed", "UPDATE ON approvals")}
`;
