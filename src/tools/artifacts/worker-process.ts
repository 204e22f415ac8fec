import { patchOf } from "./compare.ts";
import { compileComponent } from "./frame/compile.ts";
import { appContent, contentOf } from "./frame/content.ts";
import { processArtifact } from "./pipeline.ts";
import { prepareTailwind } from "./tailwind.ts";
import type { WorkerTask } from "./worker.ts";

// Code written by models is parsed in this process, so that a crash or an endless loop affects nothing else.

const WARMING = 'export default function Warm() { return <p className="p-4">warm</p>; }';

async function work({ task, input }: WorkerTask): Promise<unknown> {
  if (task === "warm") {
    await processArtifact({ type: "react", code: WARMING });
    return void (await compileComponent(WARMING));
  }
  if (task === "process") return processArtifact(input);
  if (task === "compile") return compileComponent(input.code);
  if (task === "compare") return patchOf(input.before, input.after);
  if (task === "app") return appContent(input);
  return contentOf(input);
}

prepareTailwind();
process.on("message", async (message: WorkerTask & { id: number }) => {
  try {
    process.send?.({ id: message.id, result: await work(message) });
  } catch (thrown) {
    process.send?.({
      id: message.id,
      error: thrown instanceof Error ? thrown.message : "It cannot be read.",
      overflowed: thrown instanceof RangeError,
    });
  }
});
process.on("disconnect", () => process.exit(0));
