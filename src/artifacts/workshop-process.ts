import { compileComponent } from "./frame/compile.ts";
import { contentOf } from "./frame/content.ts";
import { processArtifact } from "./pipeline.ts";
import { tailwindFor } from "./tailwind.ts";
import type { Order } from "./workshop.ts";

// The process in which code of models is read: what crashes or hangs here takes nothing else with it.

async function work({ task, input }: Order): Promise<unknown> {
  if (task === "warm") return void (await tailwindFor("p-4"));
  if (task === "process") return processArtifact(input);
  if (task === "compile") return compileComponent(input.code);
  return contentOf(input);
}

process.on("message", async (order: Order & { id: number }) => {
  try {
    process.send?.({ id: order.id, result: await work(order) });
  } catch (thrown) {
    process.send?.({ id: order.id, error: thrown instanceof Error ? thrown.message : "It cannot be read." });
  }
});
process.on("disconnect", () => process.exit(0));
