import { readFileSync } from "node:fs";
import { Child } from "./child.ts";
import type { Target } from "./client.ts";
import { BURST, BURST_TOKENS, GOOD_P99_MS, type Opened, type Seen } from "./figures.ts";

const SETTLE_MS = 700;
const LOOK_MS = 1_200;
const BURST_STREAMS = 20;
const STEP = 1.3;
/** How many streams are open when memory is measured, and for how long. */
const MEMORY_STREAMS = 200;
const MEMORY_MS = 2_000;
const SETTLED_BYTES = 50_000;

/** What one round measured of one server. */
export interface Round {
  /** Streams with good latency. */
  most: number;
  /** Microseconds of CPU per token: with fifty streams, with the most streams, and in a burst. */
  cpuAtFifty: number;
  cpuAtMost: number;
  cpuAtPeak: number;
  /** With fifty streams, in milliseconds. */
  p99: number;
  perSecond: number;
  /** Memory per stream, and the noise of that figure. */
  bytesPerStream: number;
  bytesOfNoise: number;
}

/** One server under test: one process, or several that share the readers. */
export class Contestant {
  readonly name: string;
  readonly #servers: Child[];
  readonly #client: Child;
  #targets: Target[] = [];
  #bursts: Target[] = [];

  constructor(name: string, servers: Child[], client: Child) {
    this.name = name;
    this.#servers = servers;
    this.#client = client;
  }

  async prepare(kind: string): Promise<this> {
    const path = kind === "tackle" ? "/chat" : "/v1/chat/completions";
    for (const server of this.#servers) {
      const url = await server.ask<string>("url");
      this.#targets.push({ url, path, body: bodyFor(kind, "Go on talking.") });
      this.#bursts.push({ url, path, body: bodyFor(kind, BURST) });
    }
    return this;
  }

  /** Measures everything once. `first` is where the search for the most streams starts. */
  async round(first: number): Promise<Round> {
    await this.open(50);
    const fifty = await this.look(2 * LOOK_MS);
    await this.close();
    const peak = await this.burst();
    const most = await this.#search(first);
    return {
      most: most.streams,
      cpuAtFifty: fifty.cpuPerToken,
      cpuAtMost: most.cpuPerToken,
      cpuAtPeak: peak.cpuPerToken,
      p99: fifty.p99,
      perSecond: peak.tokens / peak.seconds,
      ...(await this.memory(Math.min(MEMORY_STREAMS, most.streams))),
    };
  }

  /** Measures the memory of this many streams, compared to none before and after. */
  async memory(wanted: number): Promise<Pick<Round, "bytesPerStream" | "bytesOfNoise">> {
    const before = await this.#settled();
    await this.open(wanted);
    await this.#client.ask("measure", MEMORY_MS);
    const during = await this.#live();
    const { streams } = await this.#client.ask<Seen>("measure", 0);
    await this.close();
    const after = await this.#settled();
    return {
      bytesPerStream: (during - (before + after) / 2) / streams,
      bytesOfNoise: Math.abs(after - before) / streams,
    };
  }

  /** Waits until memory no longer changes. */
  async #settled(): Promise<number> {
    let last = await this.#live();
    for (let looks = 0; looks < 8; looks++) {
      await this.#client.ask("measure", SETTLE_MS / 2);
      const now = await this.#live();
      if (Math.abs(now - last) < SETTLED_BYTES) return now;
      last = now;
    }
    return last;
  }

  async burst(): Promise<Seen & { cpuPerToken: number }> {
    const before = await this.cpu();
    const argument = { targets: this.#bursts, count: BURST_STREAMS, tokens: BURST_TOKENS };
    const seen = await this.#client.ask<Seen>("burst", argument);
    return { ...seen, cpuPerToken: (((await this.cpu()) - before) * 1000) / seen.tokens };
  }

  /** Returns the most streams with good latency. `first` is where the search starts. */
  async most(first: number): Promise<number> {
    return (await this.#search(first)).streams;
  }

  /** Opens this many streams at once and measures those that were admitted. */
  async overload(count: number): Promise<Opened & Seen & { cpuMs: number }> {
    const before = await this.cpu();
    const opened = await this.#client.ask<Opened>("open", { targets: this.#targets, count, atOnce: count });
    const cpuMs = (await this.cpu()) - before;
    const seen = await this.look(4 * LOOK_MS);
    await this.close();
    return { ...opened, ...seen, cpuMs };
  }

  /** Goes up in steps until it is too much, then bisects. */
  async #search(first: number): Promise<{ streams: number; cpuPerToken: number }> {
    let best = { streams: 0, cpuPerToken: Number.NaN };
    let [good, bad] = [0, Number.POSITIVE_INFINITY];
    let open = 0;
    for (let tries = 0, refined = 0; tries < 20 && refined < 3; tries++) {
      const known = bad !== Number.POSITIVE_INFINITY;
      if (known && good > 0) refined++;
      const wanted = Math.round(
        known ? (good > 0 ? (good + bad) / 2 : bad / STEP) : (good || first / STEP) * STEP,
      );
      if (wanted <= open) await this.#client.ask("close", wanted);
      else await this.open(wanted - open);
      const seen = await this.look(LOOK_MS);
      // One bad measurement is often a hiccup of the machine, so measure again.
      const last = isGood(seen) ? seen : await this.look(LOOK_MS);
      if (isGood(last) && last.streams > best.streams)
        best = { streams: last.streams, cpuPerToken: last.cpuPerToken };
      // A server that refuses streams reached its own limit.
      if (isGood(last) && last.streams >= wanted) good = wanted;
      else bad = wanted;
      open = last.streams;
    }
    await this.close();
    return best;
  }

  /** Measures the open streams after a moment to settle. */
  async look(ms: number): Promise<Seen & { cpuPerToken: number }> {
    await this.#client.ask<Seen>("measure", SETTLE_MS);
    const before = await this.cpu();
    const seen = await this.#client.ask<Seen>("measure", ms);
    return { ...seen, cpuPerToken: (((await this.cpu()) - before) * 1000) / seen.tokens };
  }

  /** Opens streams. Refused ones are retried a few times. */
  async open(count: number): Promise<void> {
    for (let tries = 0, left = count; tries < 8 && left > 0; tries++) {
      if (tries > 0) await this.#client.ask("measure", SETTLE_MS);
      const { admitted } = await this.#client.ask<Opened>("open", { targets: this.#targets, count: left });
      left -= admitted;
    }
  }

  async close(): Promise<void> {
    await this.#client.ask("close", 0);
    await this.#client.ask("measure", SETTLE_MS);
  }

  /** Milliseconds of CPU of all its processes. */
  cpu(): Promise<number> {
    return this.#sum("cpu");
  }

  /** Bytes of memory that all its processes hold, and the most they ever held. */
  async resident(): Promise<{ now: number; peak: number }> {
    return { now: await this.#sum("resident"), peak: await this.#sum("peak") };
  }

  #live(): Promise<number> {
    return this.#sum("live");
  }

  async #sum(name: string): Promise<number> {
    const values = await Promise.all(this.#servers.map((server) => server.ask<number>(name)));
    return values.reduce((sum, value) => sum + value, 0);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
  }
}

/** How a server process is started. */
export interface CommandLine {
  env: Record<string, string>;
  flags: string[];
}

/** Starts a server process. Tackle gets the flags and variables of its own command unless others are given. */
export function startServer(kind: string, upstream: string, given: Partial<CommandLine> = {}): Child {
  const shipped = kind.startsWith("tackle") ? shippedCommandLine() : { env: {}, flags: [] };
  const { env, flags } = { ...shipped, ...given };
  return new Child("server.ts", [kind, upstream], {
    execArgv: ["--expose-gc", ...flags, ...(process.env.LOAD_FLAGS?.split(" ") ?? [])],
    env: { ...process.env, ...env },
  });
}

/** Returns the flags and variables in the first line of the `tackle` command. */
export function shippedCommandLine(): CommandLine {
  const [line = ""] = readFileSync(new URL("../../bin/tackle.mjs", import.meta.url), "utf8").split("\n");
  const words = line.split(" ").slice(1);
  return {
    env: Object.fromEntries(words.flatMap((word) => (/^[A-Z_]+=/.test(word) ? [word.split("=")] : []))),
    flags: words.filter((word) => word.startsWith("--")),
  };
}

/** True if no reader waited too long or fell behind. */
export function isGood(seen: Seen): boolean {
  return seen.p99 < GOOD_P99_MS && seen.slow === 0;
}

function bodyFor(kind: string, message: string): string {
  if (kind === "tackle") return JSON.stringify({ message, onDisconnect: "cancel" });
  if (kind !== "pipe") return JSON.stringify({ message });
  return JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: message }] });
}
