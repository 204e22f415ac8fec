import { writeSync } from "node:fs";
import { contentDelta } from "../../protocol/deltas.ts";
import type { Store } from "../../protocol/store.ts";
import { createJournal } from "../journal.ts";
import { openedRun, sessionEvent } from "./harness.ts";

// A process that writes a run until it is killed, and prints each event as soon as it is committed.

const [module = "", name = "", argument = "", runId = ""] = process.argv.slice(2);
const opened: Record<string, (argument: unknown) => Promise<Store>> = await import(module);
const open = opened[name];
if (!open) throw new Error(`${module} has no ${name}`);
const store = await open(JSON.parse(argument));
const run = await openedRun(store, {
  runId,
  sessionId: `session of ${runId}`,
  messageId: `answer of ${runId}`,
});
const journal = createJournal(store, { windowMs: 1 });
journal.listen(runId, {
  committed(events) {
    for (const { seq, json } of events) writeSync(1, `${seq} ${json}\n`);
  },
});
const log = journal.open(run, { events: [sessionEvent(run)], steps: [] });

for (let word = 0; word < 1_000_000; word++) {
  log.emit(contentDelta(`word ${word} `));
  if (word % 7 === 0) log.emit({ type: "tool_executing", toolCallId: `${word}`, toolName: "get_time" });
  if (word % 10 === 0) await log.flush();
}
