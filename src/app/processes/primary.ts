import cluster, { type Worker } from "node:cluster";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { hostname } from "node:os";
import { createInterface } from "node:readline";
import type { Logger } from "pino";
import { type Backoff, backoffMs } from "../../protocol/abortable.ts";
import { EMBEDDED_OWNER } from "../open-store.ts";
import { createGathering } from "./gather-metrics.ts";
import type { FromWorker, ReadyFacts, ToWorker } from "./messages.ts";

interface Workers {
  /** Starts the first worker alone, then the others. Undefined if the first one ended before it was ready. */
  start(): Promise<ReadyFacts | undefined>;
  /** Replaces every worker, one after the other. Each old one finishes what it has. */
  roll(): Promise<void>;
  /** Tells all to stop and resolves when the last one has ended. */
  stop(graceMs: number): Promise<void>;
  kill(): void;
}

interface Entry {
  worker: Worker;
  owner: string;
  /** A worker that leaves is not replaced when it ends. */
  state: "starting" | "serving" | "leaving";
  startedAt: number;
  ready: PromiseWithResolvers<ReadyFacts | undefined>;
}

/** A worker that lives shorter than this has a problem that the next one will have too. */
const SHORT_LIFE_MS = 10_000;
const WAITS: Backoff = { firstMs: 500, maxMs: 30_000 };

/** Starts worker processes that share one port, and replaces those that die. */
export function createWorkers(count: number, log: Logger): Workers {
  const group = `${EMBEDDED_OWNER} ${hostname()} ${process.pid} ${randomBytes(6).toString("base64url")}`;
  const entries = new Map<number, Entry>();
  const inState = (...states: Entry["state"][]) =>
    [...entries.values()].filter(({ state }) => states.includes(state));
  const metrics = createGathering(
    () => inState("serving", "leaving").map(({ worker }) => worker),
    () => inState("serving").length,
  );
  /** Names of workers that died while nobody was there to release their runs. */
  const unreleased = new Set<string>();
  let shortLives = 0;
  let stopping = false;
  cluster.setupPrimary({ silent: true });

  function add(first: boolean): Entry {
    const worker = cluster.fork();
    const owner = `${group}/${worker.id}`;
    const entry: Entry = {
      worker,
      owner,
      state: "starting",
      startedAt: performance.now(),
      ready: Promise.withResolvers(),
    };
    entries.set(worker.id, entry);
    forwardLines(worker);
    worker.on("message", (message: FromWorker) => receive(entry, message));
    // A message to a worker that has just died is lost, and `exit` comes next.
    worker.on("error", (err) => log.warn({ err, worker: worker.id }, "could not reach a worker"));
    worker.once("exit", (code, signal) => ended(entry, code, signal));
    send(entry, { type: "begin", owner, first });
    return entry;
  }

  function send({ worker }: Entry, message: ToWorker): void {
    if (worker.isConnected()) worker.send(message);
  }

  function receive(entry: Entry, message: FromWorker): void {
    switch (message.type) {
      case "ready":
        if (entry.state === "starting") entry.state = "serving";
        entry.ready.resolve(message.facts);
        for (const owner of unreleased) release(owner);
        return;
      case "metrics":
        void metrics.gather().then((all) => send(entry, { type: "metrics", id: message.id, all }));
        return;
      case "snapshot":
        metrics.received(entry.worker, message);
        return;
      case "tell":
        for (const other of entries.values())
          if (other !== entry) send(other, { type: "tell", note: message.note });
        return;
    }
  }

  /** Has another worker release the runs of one that is gone, so that they continue at once. */
  function release(owner: string): void {
    const [other] = inState("serving");
    if (!other) return void unreleased.add(owner);
    unreleased.delete(owner);
    send(other, { type: "release", owner });
  }

  function ended(entry: Entry, code: number, signal: string | null): void {
    const { worker, owner, state, startedAt, ready } = entry;
    entries.delete(worker.id);
    metrics.ended(worker);
    ready.resolve(undefined);
    if (code !== 0 || signal) release(owner);
    if (stopping || state === "leaving") return;
    const lived = performance.now() - startedAt;
    shortLives = lived < SHORT_LIFE_MS ? shortLives + 1 : 0;
    const wait = shortLives < 2 ? 0 : backoffMs(shortLives, WAITS);
    log.error({ worker: worker.id, code, signal }, "a worker died and is replaced");
    metrics.replaced();
    setTimeout(() => {
      if (!stopping) add(false);
    }, wait);
  }

  return {
    async start() {
      const firstEntry = add(true);
      // If the first one cannot start, the others could not either, and it has said why.
      firstEntry.state = "leaving";
      const facts = await firstEntry.ready.promise;
      if (!facts) return undefined;
      firstEntry.state = "serving";
      for (let more = 1; more < count; more++) add(false);
      return facts;
    },
    async roll() {
      for (const old of inState("serving")) {
        const next = add(false);
        const facts = await next.ready.promise;
        if (stopping) return;
        if (!facts) return log.error("a new worker could not start, so the old ones stay");
        old.state = "leaving";
        send(old, { type: "retire" });
      }
      log.info({ workers: count }, "all workers are new");
    },
    async stop(graceMs) {
      stopping = true;
      const all = [...entries.values()];
      for (const entry of all) send(entry, { type: "stop" });
      const late = setTimeout(() => this.kill(), graceMs);
      await Promise.all(all.map(({ worker }) => worker.isDead() || once(worker, "exit")));
      clearTimeout(late);
    },
    kill() {
      for (const { worker } of entries.values()) worker.process.kill("SIGKILL");
    },
  };
}

/** Writes the worker's lines to our own output, each as a whole. */
function forwardLines({ process: { stdout, stderr } }: Worker): void {
  if (stdout) createInterface({ input: stdout }).on("line", (line) => process.stdout.write(`${line}\n`));
  if (stderr) createInterface({ input: stderr }).on("line", (line) => process.stderr.write(`${line}\n`));
}
