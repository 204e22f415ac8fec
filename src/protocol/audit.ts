import type { JsonObject } from "./json.ts";
import type { Principal } from "./principal.ts";
import type { ToolContext } from "./tool.ts";

/** Everything that the audit log can say, by kind. Newer versions may add words, so readers accept others too. */
export const AUDIT_WORDS = {
  approval: ["asked", "decided", "expired", "withdrawn"],
  plan: ["decided"],
  call: ["allowed", "refused"],
  command: ["run"],
  // Kept and put back: files that run later.
  file: ["changed", "kept", "put_back"],
  auth: [
    "signed_up",
    "signed_in",
    "signed_out",
    "failed",
    "throttled",
    "password_changed",
    "reset_asked",
    "password_reset",
    "passkey_added",
    "passkey_removed",
  ],
  request: ["refused"],
  key: ["created", "changed", "revoked"],
  credential: ["stored", "removed"],
  policy: ["changed", "tried"],
  settings: ["changed"],
  trust: ["changed"],
  limits: ["changed"],
  // Who is offered which models.
  models: ["changed"],
  breaker: ["closed"],
  // Servers and API descriptions whose tools are offered.
  tools: ["added", "changed", "tried", "removed"],
  run: ["stopped"],
  account: ["created", "suspended", "resumed", "role_changed", "password_reset", "signed_out", "deleted"],
  session: ["shared", "unshared"],
  project: ["shared", "unshared", "deleted"],
  erasure: ["done"],
  data: ["backed_up", "restored", "migrated"],
  audit: ["trimmed"],
  // An act of an administrator that has no word of its own yet.
  admin: ["changed"],
} as const;
type Kind = keyof typeof AUDIT_WORDS;
export type AuditAction = { [One in Kind]: `${One}.${(typeof AUDIT_WORDS)[One][number]}` }[Kind];

/** Ids, names, numbers and hashes. Never what somebody wrote: no messages, arguments, contents of files or secrets. */
export type AuditSubject = Readonly<Record<string, string | number | boolean | undefined>>;

/** Something that happened, before it has its place in the log. */
export interface AuditFact {
  /** The id of a user or guest, `operator` for commands on the server's machine, `system` for the server itself. */
  actor: string;
  action: AuditAction;
  sessionId?: string | undefined;
  subject?: AuditSubject;
}

/** One entry as it is stored. */
export interface StoredAuditEntry {
  /** Counts from 1 without gaps. */
  seq: number;
  /** Epoch milliseconds of the database's clock. */
  at: number;
  actor: string;
  action: string;
  sessionId?: string;
  /** JSON, as it was hashed. */
  subject: string;
  /** The hash of the entry before it. */
  former: string;
  hash: string;
  /** The hash, signed with the server's secret. */
  seal: string;
}

/** Returns the hash and the seal of an entry. It depends on nothing else. */
export type LinkEntry = (
  entry: Omit<StoredAuditEntry, "hash" | "seal">,
) => Pick<StoredAuditEntry, "hash" | "seal">;

/** The newest entry, even if its row was taken away. */
export interface AuditHead {
  seq: number;
  hash: string;
}

export interface AuditQuery {
  /** Entries after this one, oldest first. */
  after?: number | undefined;
  /** Entries before this one, newest first. Without either, the newest come first. */
  before?: number | undefined;
  actor?: string | undefined;
  /** A whole word, or its first part: `auth` stands for all of `auth.…`. */
  action?: string | undefined;
  sessionId?: string | undefined;
  /** Epoch milliseconds. */
  since?: number | undefined;
  limit: number;
}

/** The audit log: a part of the store. Its rows can be added and, from the oldest on, trimmed. Nothing changes one. */
export interface AuditRows {
  /** Adds entries in this order. They are on disk when it resolves; processes that add at the same time take turns. */
  appendAudit(facts: readonly AuditRow[], link: LinkEntry): Promise<void>;
  readAudit(query: AuditQuery): Promise<StoredAuditEntry[]>;
  auditHead(): Promise<AuditHead | undefined>;
  /**
   * Removes the oldest entries up to the first one since then (epoch milliseconds). An entry says what was removed, with the
   * hash from which the rest continues. Returns how many were removed.
   */
  trimAudit(since: number, link: LinkEntry): Promise<number>;
}

/** A fact with its subject as text. */
export type AuditRow = Pick<StoredAuditEntry, "actor" | "action" | "sessionId" | "subject">;

/** An entry as people and programs read it. */
export interface AuditEntry extends Omit<StoredAuditEntry, "at" | "subject"> {
  /** ISO. */
  at: string;
  subject: JsonObject;
}

/** Reads the audit log. */
export interface AuditReader {
  list(query: AuditQuery): Promise<AuditEntry[]>;
  head(): Promise<AuditHead | undefined>;
}

/** Writes to the audit log. */
export interface Audit {
  /** Resolves when the entry is on disk. Throws if it cannot be written: what must not happen unseen then does not happen. */
  record(fact: AuditFact): Promise<void>;
  /** The same for what has happened already. A failure to write goes to the operator's log. */
  note(fact: AuditFact): void;
}

/** Returns what a person does, with the API key that they use. */
export function actOf(
  { id, key }: Pick<Principal, "id" | "key">,
  action: AuditAction,
  subject: AuditSubject = {},
): AuditFact {
  return { actor: id, action, subject: { ...subject, key: key?.id } };
}

type CallPlace = Pick<ToolContext, "audit" | "principal" | "sessionId" | "runId" | "toolCallId">;

/** Returns what a call did or what became of it, with where it belongs. */
export function callFact(
  { principal, sessionId, runId, toolCallId }: CallPlace,
  action: AuditAction,
  subject: AuditSubject,
): AuditFact {
  const { actor, subject: about } = actOf(principal, action, subject);
  return { actor, action, sessionId, subject: { ...about, runId, toolCallId } };
}

/** Notes what has become of a call. */
export function noteCall(place: CallPlace, action: AuditAction, subject: AuditSubject): void {
  place.audit?.note(callFact(place, action, subject));
}

/** Records what a call is about to do. It must not do it if this throws. */
export async function recordCall(
  place: CallPlace,
  action: AuditAction,
  subject: AuditSubject,
): Promise<void> {
  await place.audit?.record(callFact(place, action, subject));
}
