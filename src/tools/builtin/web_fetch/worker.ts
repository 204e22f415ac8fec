import { parentPort, workerData } from "node:worker_threads";
import type { ThreadTask } from "./convert.ts";
import { readPage } from "./read-page.ts";

// What is read here comes from strangers, and the libraries that read it have no business on the network.
Reflect.deleteProperty(globalThis, "fetch");
Reflect.deleteProperty(globalThis, "WebSocket");

const task = workerData as ThreadTask;
if ("path" in task) {
  const { countIn } = await import("./count.ts");
  parentPort?.postMessage(await countIn(task));
} else parentPort?.postMessage((await readPage(task)) ?? null);
