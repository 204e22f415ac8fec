import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "../config.ts";
import { serve } from "../serve.ts";
import type { ToWorker } from "./messages.ts";
import { joinPeers } from "./peers.ts";
import { logUncaught } from "./signals.ts";

/** How long a worker that was replaced may finish what it has before it hands over the rest. */
const RETIRE_MS = 5 * 60_000;

/** Serves as one of several processes, until the primary says otherwise. */
export async function serveAsWorker(config: Config): Promise<number> {
  // A terminal and some supervisors signal every process. Only the primary's word counts.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  const { peers, send, onOrder, gone } = await joinPeers();
  const retired = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  gone.addEventListener("abort", () => stopped.resolve());
  const early: ToWorker[] = [];
  let obey = (order: ToWorker) => void early.push(order);
  onOrder((order) => obey(order));
  const serving = await serve(config, peers);
  const { store, log, takeOver } = serving.tackle;
  logUncaught(log, config);
  obey = (order) => {
    if (order.type === "retire") retired.resolve();
    if (order.type === "stop") stopped.resolve();
    if (order.type === "snapshot")
      void serving.metrics().then((metrics) => send({ type: "snapshot", id: order.id, metrics }));
    if (order.type === "release")
      store
        .releaseLeases(order.owner)
        .then(takeOver)
        .catch((err: unknown) => log.error({ err }, "could not release the runs of a dead worker"));
  };
  for (const order of early) obey(order);
  const model = serving.tackle.models.defaultId();
  const setUp = serving.setUpToken && `${config.publicUrl ?? serving.url}/?setup=${serving.setUpToken}`;
  await send({ type: "ready", facts: { url: serving.url, model, setUp } });

  const stop = stopped.promise.then(() => "stop" as const);
  // Told to stop, it stays on the port until the end, to say that it stops.
  if ((await Promise.race([retired.promise, stop])) !== "stop") {
    const patience = new AbortController();
    const late = pause(RETIRE_MS, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([serving.retire(), late, stop]);
    patience.abort();
  }
  setTimeout(() => process.exit(0), config.graceMs).unref();
  await send({ type: "snapshot", metrics: await serving.metrics() });
  await serving.close();
  return 0;
}
