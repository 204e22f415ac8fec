import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { detectSandbox } from "./command/detect.ts";
import { canShareNetwork } from "./command/network.ts";
import { createCommandServices } from "./command-services.ts";
import { type CommandEnd, runCommand } from "./run-command.ts";

const sandbox = await detectSandbox({ without: ["landlock"] });
const possible = sandbox.tier === "bubblewrap" && canShareNetwork();

let folder: string;
let workspace: string;
let registry: Server;
let port: number;
let asked: string[];
let removeSource: () => void;

function git(cwd: string, ...args: string[]): void {
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd });
}

/** A package registry with one package, as npm asks for it, and a repository, as git asks for it. */
beforeAll(async () => {
  const source = mkdtempSync(join(tmpdir(), "tackle-package-"));
  mkdirSync(join(source, "package"));
  writeFileSync(join(source, "package/package.json"), '{"name":"small","version":"1.0.0"}');
  execFileSync("tar", ["czf", "small.tgz", "package"], { cwd: source });
  const archive = readFileSync(join(source, "small.tgz"));
  git(source, "init", "-q", "-b", "main", "repository");
  git(join(source, "repository"), "commit", "-q", "--allow-empty", "-m", "the first commit");
  git(source, "clone", "-q", "--bare", "repository", "repository.git");
  git(join(source, "repository.git"), "update-server-info");
  removeSource = () => rmSync(source, { recursive: true });
  registry = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    const file = join(source, new URL(request.url ?? "", "http://localhost").pathname);
    if (request.url?.startsWith("/repository.git/")) {
      response.statusCode = existsSync(file) ? 200 : 404;
      return void response.end(existsSync(file) ? readFileSync(file) : "");
    }
    if (request.url?.endsWith(".tgz")) return void response.end(archive);
    const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
    const dist = { tarball: `http://localhost:${port}/small.tgz`, integrity };
    const version = { name: "small", version: "1.0.0", dist };
    response.end(
      JSON.stringify({ name: "small", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } }),
    );
  });
  registry.listen(0, "127.0.0.1");
  await once(registry, "listening");
  port = (registry.address() as AddressInfo).port;
});
afterAll(() => {
  registry.close();
  removeSource();
});

beforeEach(() => {
  asked = [];
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tackle-hosts-")));
  workspace = join(folder, "workspace");
  mkdirSync(workspace);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(
  command: string,
  hosts: string[],
  options: { readOnly?: boolean } = {},
): Promise<CommandEnd> {
  const services = createCommandServices({
    sandbox,
    dataDir: join(folder, "data"),
    closed: [],
    env: {},
    hosts,
  });
  try {
    return await runCommand(
      {
        principal: { id: "ann", kind: "account" },
        sessionId: "s",
        runId: "r",
        roots: [workspace],
        sandbox,
        commands: services,
      },
      { command, cwd: workspace, timeoutMs: 60_000, signal: new AbortController().signal, ...options },
    );
  } finally {
    await services.close();
  }
}

describe.skipIf(!possible)("a command with allowed hosts", () => {
  test("installs a package from an allowed registry", async () => {
    const install = `npm install small --registry http://localhost:${port} --no-audit --no-fund 2>&1`;
    const { stdout, denied } = await run(`${install}; ls node_modules`, [`localhost:${port}`]);
    expect(stdout).toContain("small");
    expect(existsSync(join(workspace, "node_modules/small/package.json"))).toBe(true);
    expect(existsSync(join(workspace, ".npm"))).toBe(false);
    expect(denied).toEqual([]);
    expect(asked).toContain(`localhost:${port}/small.tgz`);
  });

  test("fetches from an allowed git server", async () => {
    const fetch = `git init -q && git fetch -q http://localhost:${port}/repository.git main && git log --format=%s FETCH_HEAD`;
    expect((await run(`${fetch} 2>&1`, [`localhost:${port}`])).stdout).toBe("the first commit\n");
    const { denied } = await run("git fetch -q http://git.example/x.git main", [`localhost:${port}`]);
    expect(denied).toEqual(["git.example:80"]);
  });

  test("reaches no other host, and its end names those that it wanted", async () => {
    const fetch = (url: string) => `curl -s --noproxy '' -m 5 ${url}`;
    const { stdout, denied } = await run(
      `${fetch(`http://127.0.0.1:${port}/x`)}; ${fetch("https://evil.example/")}; curl -s -m 2 --noproxy '*' http://127.0.0.1:${port}/; true`,
      ["registry.example"],
    );
    expect(stdout).toContain("TACKLE_SANDBOX_HOSTS");
    expect(denied).toEqual([`127.0.0.1:${port}`, "evil.example:443"]);
    expect(asked).toEqual([]);
  });

  test("that only reads has no network at all", async () => {
    const { stdout } = await run("env | grep -ci proxy; cat /proc/net/tcp | wc -l", [`localhost:${port}`], {
      readOnly: true,
    });
    expect(stdout).toBe("0\n1\n");
  });

  test("inherits no descriptor of the namespaces, and cannot leave them", async () => {
    const { stdout } = await run(
      "ls -l /proc/self/fd | grep -c 'ns\\|net:\\|user:'; unshare -n true && echo left; nsenter -t 1 -n true && echo entered; grep CapEff /proc/self/status",
      ["registry.example"],
    );
    expect(stdout).toBe("0\nCapEff:\t0000000000000000\n");
  });
});
