import { createAuditLog } from "../../observe/audit/log.ts";
import type { Store } from "../../protocol/store.ts";

// A process that adds entries to the audit log, and prints the number of each as soon as it is on disk.

const [module = "", name = "", argument = "", actor = "", many = "0"] = process.argv.slice(2);
const opened: Record<string, (argument: unknown) => Promise<Store>> = await import(module);
const open = opened[name];
if (!open) throw new Error(`${module} has no ${name}`);
const store = await open(JSON.parse(argument));
const log = createAuditLog({
  store,
  key: Buffer.from("key"),
  redact: (text) => text,
  onProblem(thrown) {
    throw thrown;
  },
});
for (let number = 0; number < Number(many); number += 5) {
  const five = Array.from({ length: 5 }, (_, at) => number + at);
  await Promise.all(
    five.map(async (one) => {
      await log.record({ actor, action: "call.refused", subject: { one } });
      process.stdout.write(`${one}\n`);
    }),
  );
}
await store.close();
