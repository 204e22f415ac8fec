import { createHash, createHmac } from "node:crypto";
import type { AuditHead, AuditRows, LinkEntry, StoredAuditEntry } from "../../protocol/audit.ts";
import { parseObject } from "../../protocol/json.ts";

/** Why the chain is not whole, at the first entry where it shows. */
export interface ChainProblem {
  ok: false;
  seq: number;
  reason: string;
}

export interface WholeChain {
  ok: true;
  entries: number;
  /** The oldest entry. Those before it were trimmed. */
  first: number;
  head: AuditHead | undefined;
}

/** The purpose of the key that seals entries, which is derived from the server's secret. */
export const AUDIT_KEY = "audit log";
const PAGE = 1_000;

/**
 * Returns a function that links entries: the hash is the SHA-256 of the entry's JSON, so that anybody can check it, and the
 * seal is that hash signed with the server's secret, so that nobody without the secret can make up a chain.
 */
export function linkWith(key: Uint8Array): LinkEntry {
  return (entry) => {
    const hash = createHash("sha256").update(hashedText(entry)).digest("hex");
    return { hash, seal: createHmac("sha256", key).update(hash).digest("hex") };
  };
}

/** The text that is hashed: the entry as JSON without spaces, keys in this order, without its hash and seal. */
function hashedText(entry: Omit<StoredAuditEntry, "hash" | "seal">): string {
  const { seq, at, actor, action, sessionId, subject, former } = entry;
  const time = new Date(at).toISOString();
  const head = JSON.stringify({
    seq,
    at: time,
    actor,
    action,
    ...(sessionId === undefined ? {} : { sessionId }),
  });
  return `${head.slice(0, -1)},"subject":${subject},"former":${JSON.stringify(former)}}`;
}

/**
 * Checks every hash and seal of the log, that no entry is missing, and that the newest one is there. With `pinned`, the hash
 * of an entry that was written down elsewhere, that entry must be in the chain; seals up to it may be of another secret.
 */
export async function verifyChain(
  rows: Pick<AuditRows, "readAudit" | "auditHead">,
  link: LinkEntry,
  pinned?: string,
): Promise<WholeChain | ChainProblem> {
  let last: StoredAuditEntry | undefined;
  let first: StoredAuditEntry | undefined;
  let entries = 0;
  let foundPin = false;
  let unsealed: ChainProblem | undefined;
  const trims = new Map<number, unknown>();
  for (;;) {
    const page = await rows.readAudit({ after: last?.seq ?? -1, limit: PAGE });
    for (const entry of page) {
      const linking = isSound(entry) ? link(entry) : undefined;
      const problem = brokenLink(entry, last, linking?.hash);
      if (problem) return problem;
      if (linking?.seal !== entry.seal) unsealed ??= sealProblem(entry);
      if (entry.hash === pinned) {
        foundPin = true;
        unsealed = undefined;
      }
      if (entry.action === "audit.trimmed") noteTrim(entry, trims);
      first ??= entry;
      last = entry;
      entries += 1;
    }
    if (page.length > 0) continue;
    // Read after the rows: what is added meanwhile moves the head.
    const head = await rows.auditHead();
    if (head && head.seq > (last?.seq ?? 0) && (await isThere(rows, last))) continue;
    return (
      beginningProblem(first, trims) ??
      unsealed ??
      endProblem(last, head) ??
      (pinned !== undefined && !foundPin
        ? pinProblem(last)
        : { ok: true, entries, first: first?.seq ?? 0, head })
    );
  }
}

async function isThere(
  rows: Pick<AuditRows, "readAudit">,
  last: StoredAuditEntry | undefined,
): Promise<boolean> {
  return (await rows.readAudit({ after: last?.seq ?? -1, limit: 1 })).length > 0;
}

function brokenLink(
  entry: StoredAuditEntry,
  last: StoredAuditEntry | undefined,
  hash: string | undefined,
): ChainProblem | undefined {
  const { seq } = entry;
  if (last && seq !== last.seq + 1)
    return { ok: false, seq: last.seq + 1, reason: `Entry ${last.seq + 1} is missing.` };
  if (hash !== entry.hash)
    return { ok: false, seq, reason: `Entry ${seq} was changed: its hash does not fit its content.` };
  if (last && entry.former !== last.hash)
    return {
      ok: false,
      seq,
      reason: `Entry ${seq} does not follow entry ${last.seq}: one of them was replaced.`,
    };
  return undefined;
}

/** False for values that no entry has and that could not be hashed. */
function isSound({ at, subject }: StoredAuditEntry): boolean {
  return Math.abs(at) <= 8.64e15 && parseObject(subject) !== undefined;
}

function noteTrim({ subject }: StoredAuditEntry, trims: Map<number, unknown>): void {
  const { through, hash } = parseObject(subject) ?? {};
  if (typeof through === "number") trims.set(through, hash);
}

/** The first entry must be the very first, or one that a later entry says the rest continues from. */
function beginningProblem(
  first: StoredAuditEntry | undefined,
  trims: ReadonlyMap<number, unknown>,
): ChainProblem | undefined {
  if (!first || (first.seq === 1 && first.former === "")) return undefined;
  if (trims.get(first.seq - 1) === first.former) return undefined;
  const seq = Math.max(1, first.seq - 1);
  return { ok: false, seq, reason: `The entries before ${first.seq} are missing, and no entry says so.` };
}

function sealProblem({ seq }: StoredAuditEntry): ChainProblem {
  return {
    ok: false,
    seq,
    reason: `Entry ${seq} was not sealed with this server's secret: it was made up, or the secret has changed since.`,
  };
}

function endProblem(
  last: StoredAuditEntry | undefined,
  head: AuditHead | undefined,
): ChainProblem | undefined {
  if (last?.seq === head?.seq && last?.hash === head?.hash) return undefined;
  const seq = (last?.seq ?? 0) + 1;
  if (head && head.seq >= seq)
    return { ok: false, seq, reason: `Entry ${seq} is missing: the log once went on to entry ${head.seq}.` };
  return {
    ok: false,
    seq: last?.seq ?? 0,
    reason: `Entry ${last?.seq ?? 0} was added by another way than the log's own.`,
  };
}

function pinProblem(last: StoredAuditEntry | undefined): ChainProblem {
  return {
    ok: false,
    seq: last?.seq ?? 0,
    reason: "No entry has the hash that was given: the log was cut off before it, or rewritten.",
  };
}
