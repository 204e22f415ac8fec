import type { RunSignal } from "../../protocol/store.ts";

// A notification is a JSON array: the sender's id, the signal, and the ids of the runs that it is about.

/** PostgreSQL refuses 8,000 bytes and more. */
const LONGEST = 7_000;

export interface Notification {
  origin: string;
  /**
   * `subscribe`: the sender has followers of these runs, and wants to hear of their events on its own channel. `follow`: the
   * same from an instance of the former version, which hears only what all hear.
   */
  signal: RunSignal | "follow" | "subscribe";
  runIds: string[];
}

/** The word for each signal in a notification. Instances of older versions share the channel, so these never change. */
const WORDS = { events: "events", control: "asked", follow: "follow", subscribe: "subscribe" } as const;

/** Returns the channel on which only one instance listens. */
export function channelOf(origin: string): string {
  return `tackle_${origin}`;
}

/** Returns SQL that sends a signal about one run to the other instances. */
export function notifyRun(
  channel: string,
  origin: string,
  runId: string,
  signal: RunSignal = "control",
): string {
  return `pg_notify(${channel}, json_build_array(${origin}::text, '${WORDS[signal]}', ${runId})::text)::text`;
}

/** Encodes a signal about many runs as notifications that are each short enough to send. */
export function encodeNotifications({ origin, signal, runIds }: Notification): string[] {
  const head = [origin, WORDS[signal]];
  const lines: string[] = [];
  let group: string[] = [];
  let length = 0;
  for (const runId of runIds) {
    const more = Buffer.byteLength(JSON.stringify(runId)) + 1;
    if (group.length > 0 && length + more > LONGEST) {
      lines.push(JSON.stringify([...head, ...group]));
      group = [];
      length = 0;
    }
    group.push(runId);
    length += more;
  }
  return group.length > 0 ? [...lines, JSON.stringify([...head, ...group])] : lines;
}

/** Decodes a notification; undefined for one that is not ours. */
export function decodeNotification(payload: string | undefined): Notification | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(payload ?? "");
  } catch {
    return undefined; // Anybody with the password can notify on our channel.
  }
  if (!Array.isArray(parsed) || !parsed.every((item) => typeof item === "string")) return undefined;
  const [origin, word, ...runIds] = parsed;
  const signal = (["events", "control", "follow", "subscribe"] as const).find((name) => WORDS[name] === word);
  return origin === undefined || signal === undefined ? undefined : { origin, signal, runIds };
}
