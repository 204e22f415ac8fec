import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { chatTurn } from "../../src/sim/turns.ts";
import { startUpstream, type Upstream } from "../../src/sim/upstream.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./server.ts";

/** A server with accounts, guests, a folder and a policy, and beside it a listener that nothing of it may reach. */
export interface HostileWorld {
  upstream: Upstream;
  server: ServerProcess;
  /** Everything of this world lies in it. */
  folder: string;
  /** What tools may touch; `secrets` in it is denied, `public` is a link to that. */
  workspace: string;
  canary: Canary;
  close(): Promise<void>;
}

/** Listens on an address of this machine that nobody else uses, at a port that pages may be fetched from. */
export interface Canary {
  host: string;
  port: number;
  /** What reached it. */
  reached: string[];
  close(): Promise<void>;
}

/** The mark in the file that is denied. */
export const MARK = "heron-4711";
const NO_LIMIT = { guest: 100_000, account: 100_000 };
const POLICY = {
  rules: [
    { match: { path: "^secrets/" }, action: "deny" },
    { tool: "filesystem", effect: "write", action: "deny" },
    { tool: "execute_command", action: "deny" },
  ],
};

/** Starts the listener; each file of tests has a host of its own, as they run side by side. */
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

/** Starts it all. */
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
  const server = await startServer(data, {
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
