import { retrying } from "../../protocol/abortable.ts";
import type { Audit, AuditFact, AuditRow, AuditRows, AuditSubject } from "../../protocol/audit.ts";
import { Failure } from "../../protocol/failure.ts";
import { linkWith } from "./chain.ts";

export interface AuditLog extends Audit {
  /** Resolves once everything so far is written or reported. Never throws. */
  flush(): Promise<void>;
}

export interface AuditLogParts {
  store: Pick<AuditRows, "appendAudit">;
  /** Seals the entries. Derived from the server's secret. */
  key: Uint8Array;
  /** Removes secrets from a text, such as the name of a file. */
  redact(text: string): string;
  /** Called with what could not be written. */
  onProblem(thrown: unknown, fact: AuditFact): void;
}

const LONGEST_TEXT = 1_000;
/** What people and programs name. All other texts are ids, hashes and words of our own. */
const CHOSEN_NAMES = ["path", "from", "name", "program"];
const MAX_RETRIES = 3;
/** The most entries in one transaction. */
const MAX_BATCH = 500;

/**
 * Creates the writer of the audit log. An entry is written at once; those that come while the disk is busy share the next
 * transaction, so a busy server waits for the disk no more often than a quiet one.
 */
export function createAuditLog({ store, key, redact, onProblem }: AuditLogParts): AuditLog {
  const link = linkWith(key);
  const waiting: { row: AuditRow; written: PromiseWithResolvers<void> }[] = [];
  let writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH);
      try {
        const rows = batch.map(({ row }) => row);
        await retrying(() => store.appendAudit(rows, link), retryDelay);
        for (const { written } of batch) written.resolve();
      } catch (thrown) {
        for (const { written } of batch) written.reject(thrown);
      }
    }
    writing = undefined;
  }

  function record(fact: AuditFact): Promise<void> {
    const written = Promise.withResolvers<void>();
    waiting.push({ row: rowOf(fact, redact), written });
    writing ??= writeAll();
    return written.promise;
  }

  return {
    record,
    note(fact) {
      record(fact).catch((thrown: unknown) => onProblem(thrown, fact));
    },
    async flush() {
      await writing;
    },
  };
}

/** How long to wait for a database that is busy. Throws what does not pass. */
function retryDelay(thrown: unknown, retry: number): number {
  if (thrown instanceof Failure && thrown.retryable && retry <= MAX_RETRIES) return retry * 100;
  throw thrown;
}

function rowOf(
  { actor, action, sessionId, subject = {} }: AuditFact,
  redact: AuditLogParts["redact"],
): AuditRow {
  return {
    actor: plain(actor),
    action,
    ...(sessionId === undefined ? {} : { sessionId: plain(sessionId) }),
    subject: subjectText(subject, redact),
  };
}

function subjectText(subject: AuditSubject, redact: AuditLogParts["redact"]): string {
  const given = Object.entries(subject).filter(([, value]) => value !== undefined);
  const clean = given.map(([name, value]) => [
    name,
    typeof value === "string" ? plain(CHOSEN_NAMES.includes(name) ? redact(value) : value) : value,
  ]);
  return JSON.stringify(Object.fromEntries(clean));
}

/** One line of text that both engines store as it is. */
function plain(text: string): string {
  return text
    .slice(0, LONGEST_TEXT)
    .toWellFormed()
    .replace(/\p{Cc}/gu, "\uFFFD");
}
