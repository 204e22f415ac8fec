import { parentPort, workerData } from "node:worker_threads";
import { type RawPage, readPage } from "./read-page.ts";

// What is read here comes from strangers, and the libraries that read it have no business on the network.
Reflect.deleteProperty(globalThis, "fetch");
Reflect.deleteProperty(globalThis, "WebSocket");

parentPort?.postMessage((await readPage(workerData as RawPage)) ?? null);
