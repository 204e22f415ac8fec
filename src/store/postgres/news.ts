import type { RunNews } from "../../protocol/store.ts";

// A notification is a JSON array: who sent it, what is new, and the runs that it is new of.

/** PostgreSQL refuses 8,000 bytes and more. */
const LONGEST = 7_000;

export interface Notification {
  origin: string;
  news: RunNews;
  runIds: string[];
}

/** SQL that tells other instances of a cancel, a decision, or the end of one run. */
export function notifyRun(channel: string, origin: string, runId: string): string {
  return `pg_notify(${channel}, json_build_array(${origin}::text, 'asked', ${runId})::text)::text`;
}

/** The notifications that tell other instances of new events in these runs. */
export function eventNotifications(origin: string, runIds: readonly string[]): string[] {
  const lines: string[] = [];
  let group: string[] = [];
  let length = 0;
  for (const runId of runIds) {
    const more = Buffer.byteLength(JSON.stringify(runId)) + 1;
    if (group.length > 0 && length + more > LONGEST) {
      lines.push(encode(origin, group));
      group = [];
      length = 0;
    }
    group.push(runId);
    length += more;
  }
  return group.length > 0 ? [...lines, encode(origin, group)] : lines;
}

function encode(origin: string, runIds: string[]): string {
  return JSON.stringify([origin, "events", ...runIds]);
}

/** What a notification says; undefined for one that is not ours. */
export function decodeNotification(payload: string | undefined): Notification | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(payload ?? "");
  } catch {
    return undefined; // Anybody with the password can notify on our channel.
  }
  if (!Array.isArray(parsed) || !parsed.every((item) => typeof item === "string")) return undefined;
  const [origin, news, ...runIds] = parsed;
  if (origin === undefined || (news !== "events" && news !== "asked")) return undefined;
  return { origin, news, runIds };
}
