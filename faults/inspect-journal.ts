import type { NatsServers } from "../src/store/testing/nats.ts";
import type { ReadJournal } from "./inspect.ts";

/** Reads all events from the streams of a NATS cluster, without Tackle's own code paths. */
export async function readJournal(nats: NatsServers): ReturnType<ReadJournal> {
  const found: Awaited<ReturnType<ReadJournal>> = new Map();
  for (const { subject, text } of await nats.messages()) note(found, subject, text);
  return found;
}

function note(found: Awaited<ReturnType<ReadJournal>>, subject: string, text: string): void {
  // tackle.INSTALLATION.STREAM.RUN.NUMBER
  const [, , , runId = ""] = subject.split(".");
  const [head = "", ...events] = text.split("\n");
  const { firstSeq } = JSON.parse(head) as { firstSeq: number };
  const run = found.get(runId) ?? [];
  found.set(runId, run);
  for (const [index, json] of events.entries()) run.push({ seq: firstSeq + index, json });
}
