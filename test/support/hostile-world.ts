import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { startUpstream } from "../../src/sim/testing/upstream.ts";
import { chatTurn } from "../../src/sim/turns.ts";
import type { Upstream } from "../../src/sim/upstream.ts";
import { modelAt, type OwnProcess, startOwnServer, temporaryFolder } from "./server.ts";

/** A server with accounts, guests, a folder and a policy, and a local listener that the server must never reach. */
export interface HostileWorld {
  upstream: Upstream;
  server: OwnProcess;
  /** Contains the data directory and the workspace. */
  folder: string;
  /** The folder for tools. The policy denies `secrets` in it, and `public` is a symlink to `secrets`. */
  workspace: string;
  canary: Canary;
  close(): Promise<void>;
}

/** Listens on an unused loopback address, on a port that `web_fetch` allows. */
export interface Canary {
  host: string;
  port: number;
  /** The requests that reached it. */
  reached: string[];
  close(): Promise<void>;
}

/** The content of the denied file. */
export const MARK = "heron-4711";
const NO_LIMIT = { guest: 100_000, account: 100_000 };
const POLICY = {
  rules: [
    { match: { path: "^secrets/" }, action: "deny" },
    { tool: "filesystem", effect: "write", action: "deny" },
    { tool: "execute_command", action: "deny" },
  ],
};

/** Starts the listener. Each test file uses its own host, because they run in parallel. */
export async function startCanary(host: string): Promise<Canary> {
  const port = 8080;
  const reached: string[] = [];
  const server = createServer((request, response) => {
    reached.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end("reached");
  });
  await new Promise<void>((listening) => server.listen(port, host, listening));
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((closed) => server.close(() => closed()));
  };
  return { host, port, reached, close };
}

/** Starts the server, its upstream and the listener. */
export async function startWorld(host: string): Promise<HostileWorld> {
  const folder = temporaryFolder();
  const data = join(folder.path, "data");
  const workspace = join(folder.path, "workspace");
  mkdirSync(join(workspace, "secrets"), { recursive: true });
  mkdirSync(data);
  writeFileSync(join(workspace, "secrets", "plan.txt"), MARK);
  symlinkSync("secrets", join(workspace, "public"));
  writeFileSync(join(data, "policy.json"), JSON.stringify(POLICY));
  const upstream = await startUpstream();
  upstream.respond(() => chatTurn({ text: "Fine." }));
  const canary = await startCanary(host);
  const server = await startOwnServer(data, {
    ...modelAt(upstream.url),
    TACKLE_AUTH: "guest",
    TACKLE_ROOTS: workspace,
    TACKLE_LIMITS: JSON.stringify({ chat: NO_LIMIT, web_fetch: NO_LIMIT, api: { perMinute: 100_000 } }),
  });
  return {
    upstream,
    server,
    folder: folder.path,
    workspace,
    canary,
    async close() {
      await server.stop();
      await upstream.close();
      await canary.close();
      folder.remove();
    },
  };
}
