import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startServer } from "../load/contestant.ts";
import type { Target } from "./figures.ts";

const MESSAGE = "Go on talking.";
const READY_MS = 30_000;

/** A server under test, in its own process. */
export interface Entry {
  name: string;
  target: Target;
  /** Undefined for the connection without a server. */
  pid?: number;
  stop(): Promise<void>;
}

/** Starts every server in front of the upstream, and adds the direct connection that they are compared to. */
export async function startEntries(upstream: string, only?: readonly string[]): Promise<Entry[]> {
  const direct: Entry = {
    name: "direct",
    target: { url: upstream, ...completion("m") },
    stop: async () => {},
  };
  const entries = [direct];
  for (const [name, start] of Object.entries(STARTS))
    if (!only || only.includes(name)) entries.push({ name, ...(await start(upstream)) });
  return entries;
}

type Start = (upstream: string) => Promise<Omit<Entry, "name">>;

const STARTS: Record<string, Start> = {
  tackle: (upstream) => startPeer("tackle", upstream, completion("openai/gpt-4o")),
  "tackle-in-memory": (upstream) => startPeer("tackle-in-memory", upstream, completion("openai/gpt-4o")),
  portkey: startPortkey,
  "ai-sdk": (upstream) =>
    startPeer("ai-sdk", upstream, { path: "/", headers: {}, body: JSON.stringify({ message: MESSAGE }) }),
  pipe: (upstream) => startPeer("pipe", upstream, completion("m")),
};

function completion(model: string): Omit<Target, "url"> {
  return {
    path: "/v1/chat/completions",
    headers: { authorization: "Bearer bench" },
    body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: MESSAGE }] }),
  };
}

async function startPeer(
  kind: string,
  upstream: string,
  request: Omit<Target, "url">,
): Promise<Omit<Entry, "name">> {
  const child = startServer(kind, upstream);
  const url = await child.ask<string>("url");
  return { target: { url, ...request }, pid: child.process.pid, stop: () => child.stop() };
}

/**
 * Portkey's gateway as published, which a header points at the upstream. The lockfile keeps its HTTP adapter at 1.13: the newest
 * one shares the headers of the upstream's answer, to which the gateway then cannot add its own.
 */
async function startPortkey(upstream: string): Promise<Omit<Entry, "name">> {
  const manifest = createRequire(import.meta.url).resolve("@portkey-ai/gateway/package.json");
  const port = await freePort();
  const program = join(dirname(manifest), "build", "start-server.js");
  const child = spawn(process.execPath, [program, `--port=${port}`, "--headless"], {
    stdio: "ignore",
    env: { ...process.env, NODE_ENV: "production", TRUSTED_CUSTOM_HOSTS: "127.0.0.1" },
  });
  const url = `http://127.0.0.1:${port}`;
  await answering(url, child);
  const { headers, ...request } = completion("m");
  const routed = { ...headers, "x-portkey-provider": "openai", "x-portkey-custom-host": `${upstream}/v1` };
  return { target: { url, ...request, headers: routed }, pid: child.pid, stop: () => end(child) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  const until = performance.now() + READY_MS;
  while (performance.now() < until && child.exitCode === null) {
    if (await fetch(url).catch(() => undefined)) return;
    await pause(100);
  }
  child.kill();
  throw new Error("Portkey's gateway did not start");
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill();
  await exited;
}
