import { compileComponent } from "./frame/compile.ts";
import { contentOf } from "./frame/content.ts";
import { processArtifact } from "./pipeline.ts";
import { prepareTailwind } from "./tailwind.ts";
import type { Order } from "./worker.ts";

// The process in which code of models is read: what crashes or hangs here takes nothing else with it.

const WARMING = 'export default function Warm() { return <p className="p-4">warm</p>; }';

async function work({ task, input }: Order): Promise<unknown> {
  if (task === "warm") {
    await processArtifact({ type: "react", code: WARMING });
    return void (await compileComponent(WARMING));
  }
  if (task === "process") return processArtifact(input);
  if (task === "compile") return compileComponent(input.code);
  return contentOf(input);
}

prepareTailwind();
process.on("message", async (order: Order & { id: number }) => {
  try {
    process.send?.({ id: order.id, result: await work(order) });
  } catch (thrown) {
    process.send?.({ id: order.id, error: thrown instanceof Error ? thrown.message : "It cannot be read." });
  }
});
process.on("disconnect", () => process.exit(0));
