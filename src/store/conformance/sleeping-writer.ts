import { once } from "node:events";
import type { Store } from "../../protocol/store.ts";
import { runInProgress, tryEveryWrite } from "./owner-writes.ts";

// A process that owns a run and continues to write it when told to, without knowing how long it slept.

const [module = "", name = "", argument = "", runId = ""] = process.argv.slice(2);
const opened: Record<string, (argument: unknown) => Promise<Store>> = await import(module);
const open = opened[name];
if (!open) throw new Error(`${module} has no ${name}`);
const store = await open(JSON.parse(argument));
const run = await runInProgress(store, {
  runId,
  sessionId: `session of ${runId}`,
  messageId: `answer of ${runId}`,
});
console.log("ready");
await once(process.stdin, "data");
console.log(JSON.stringify(await tryEveryWrite(store, run)));
process.stdin.destroy();
await store.close();
