import { deepFreeze } from "../protocol/freeze.ts";
import type { StoredMessage } from "../protocol/sessions.ts";

/** Bytes of stored messages that are kept. As objects, they take a few times as much. */
const MOST_BYTES = 8_000_000;
/** Another process may have deleted them meanwhile, so what nobody reads goes soon. */
const MOST_AGE_MS = 10 * 60_000;

/** What was used lately, the oldest first. */
class Recent<Value> {
  readonly #kept = new Map<string, { value: Value; bytes: number; usedAt: number }>();
  readonly #now: () => number;
  #bytes = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(key: string): Value | undefined {
    const found = this.#kept.get(key);
    if (found) this.set(key, found.value, found.bytes);
    return found?.value;
  }

  set(key: string, value: Value, bytes: number): void {
    const usedAt = this.#now();
    this.#bytes += bytes - (this.#kept.get(key)?.bytes ?? 0);
    this.#kept.delete(key);
    this.#kept.set(key, { value, bytes, usedAt });
    for (const [oldest, one] of this.#kept) {
      if (this.#bytes <= MOST_BYTES && usedAt - one.usedAt < MOST_AGE_MS) return;
      this.#kept.delete(oldest);
      this.#bytes -= one.bytes;
    }
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }
}

/**
 * Messages that were read lately. A message never changes after it was stored, and reading and checking a thousand of them again
 * costs more than the rest of a turn.
 */
export class SharedMessages {
  readonly #kept: Recent<StoredMessage>;

  constructor(now: () => number = () => performance.now()) {
    this.#kept = new Recent(now);
  }

  get(id: string): StoredMessage | undefined {
    return this.#kept.get(id);
  }

  add(message: StoredMessage, bytes: number): void {
    this.#kept.set(message.id, deepFreeze(message), bytes);
  }

  /** What was deleted must not stay in memory either. */
  clear(): void {
    this.#kept.clear();
  }
}

/** A branch of a session that was read lately: it ends with this message, and what comes before a message never changes. */
interface Branch {
  end: string;
  messages: StoredMessage[];
  bytes: number;
}

/** A message that a store has found. */
interface Found {
  id: string;
  bytes: number;
}

/** The branches that were read lately, one of each session: the next turn reads only what was added. */
export class SharedBranches {
  readonly #kept: Recent<Branch>;

  constructor(now: () => number = () => performance.now()) {
    this.#kept = new Recent(now);
  }

  /** Reads a branch. `find` returns what it has from a message on, or all of it; `read` reads what is new. */
  async read<One extends Found>(
    sessionId: string,
    find: (from: string | undefined) => One[] | Promise<One[]>,
    read: (found: One[]) => StoredMessage[] | Promise<StoredMessage[]>,
  ): Promise<StoredMessage[]> {
    const known = this.#kept.get(sessionId);
    const length = known?.messages.length;
    const found = await find(known?.end);
    const isKnown = known !== undefined && found[0]?.id === known.end;
    const added = isKnown ? found.slice(1) : found;
    const before = isKnown ? known.messages.slice(0, length) : [];
    const bytes = added.reduce((sum, message) => sum + message.bytes, isKnown ? known.bytes : 0);
    const messages = added.length > 0 ? before.concat(await read(added)) : before;
    const end = found.at(-1)?.id;
    // One that was deleted meanwhile is missing.
    if (end !== undefined && messages.at(-1)?.id === end) this.#keep(sessionId, { end, messages, bytes });
    return messages;
  }

  /** What was deleted must not stay in memory either. */
  clear(): void {
    this.#kept.clear();
  }

  #keep(sessionId: string, { end, messages, bytes }: Branch): void {
    const known = this.#kept.get(sessionId)?.messages;
    this.#kept.set(sessionId, { end, messages: grown(known, messages), bytes }, bytes);
  }
}

/** Adds what is new to a list in place, as in `Remembered`; a copy of the messages, if they are another branch. */
function grown(known: StoredMessage[] | undefined, messages: readonly StoredMessage[]): StoredMessage[] {
  // What comes before a message never changes.
  if (!known || known.length === 0 || known.at(-1) !== messages[known.length - 1]) return [...messages];
  for (const message of messages.slice(known.length)) known.push(message);
  return known;
}
