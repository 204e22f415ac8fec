import type { RunNews } from "../../protocol/store.ts";

// A notification is a JSON array: who sent it, what is new, and the runs that it is new of.

/** PostgreSQL refuses 8,000 bytes and more. */
const LONGEST = 7_000;

export interface Notification {
  origin: string;
  /** `follow`: somebody there follows runs that are written elsewhere. */
  news: RunNews | "follow";
  runIds: string[];
}

/** SQL that tells other instances of a cancel, a decision, or the end of one run; or to look for events of it. */
export function notifyRun(channel: string, origin: string, runId: string, news: RunNews = "asked"): string {
  return `pg_notify(${channel}, json_build_array(${origin}::text, '${news}', ${runId})::text)::text`;
}

/** The notifications that tell other instances something about these runs. */
export function encodeNotifications(
  origin: string,
  news: Notification["news"],
  runIds: readonly string[],
): string[] {
  const lines: string[] = [];
  let group: string[] = [];
  let length = 0;
  for (const runId of runIds) {
    const more = Buffer.byteLength(JSON.stringify(runId)) + 1;
    if (group.length > 0 && length + more > LONGEST) {
      lines.push(JSON.stringify([origin, news, ...group]));
      group = [];
      length = 0;
    }
    group.push(runId);
    length += more;
  }
  return group.length > 0 ? [...lines, JSON.stringify([origin, news, ...group])] : lines;
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
  if (origin === undefined || (news !== "events" && news !== "asked" && news !== "follow")) return undefined;
  return { origin, news, runIds };
}
