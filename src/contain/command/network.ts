import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, fstatSync, openSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { CommandNetwork } from "../../protocol/commands.ts";
import { Failure } from "../../protocol/failure.ts";
import type { HostRule } from "./hosts.ts";
import { createHostProxy } from "./proxy.ts";
import type { CommandUser } from "./user.ts";

/** Joins namespaces that another process has made. */
const NSENTER = "/usr/bin/nsenter";
const START_MS = 10_000;
const NODE_DESCRIPTOR = 4;
/** Where the proxy is inside of the namespace, in which nothing else listens yet. */
const PROXY_PORT = 3128;
const PROXY = `http://127.0.0.1:${PROXY_PORT}`;
const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

/** Runs in the namespace. Passes each connection on to our proxy, which is outside of it. */
const FORWARD = `const net = require("node:net");
net.createServer((inner) => {
  const outer = net.connect(process.argv[1]);
  for (const [one, other] of [[inner, outer], [outer, inner]]) one.on("error", () => other.destroy()).on("close", () => other.destroy());
  inner.pipe(outer).pipe(inner);
}).listen(${PROXY_PORT}, "127.0.0.1", () => console.log("ready"));
process.stdin.on("end", () => process.exit()).resume();`;

/** A network namespace that is held open. */
export interface HeldNetwork extends Omit<CommandNetwork, "release"> {
  isOpen(): boolean;
  close(): Promise<void>;
}

/** Whether namespaces can be shared on this machine. */
export function canShareNetwork(): boolean {
  return existsSync(NSENTER);
}

/** Returns the words in front of a sandbox that starts it in the namespaces, given as these descriptors. */
export function joinNetwork(user: number, network: number): string[] {
  return [
    ...[NSENTER, `--user=/proc/self/fd/${user}`, `--net=/proc/self/fd/${network}`, "--preserve-credentials"],
    // The command must not inherit them.
    ...["/bin/sh", "-c", `exec ${user}<&- ${network}<&-; exec "$@"`, "sh"],
  ];
}

/** Makes a network namespace without any way out but the proxy. */
export async function openNetwork(
  bubblewrap: string,
  hosts: readonly HostRule[],
  user: CommandUser | undefined,
): Promise<HeldNetwork> {
  const denied = new Set<string>();
  const folder = await mkdtemp(join(tmpdir(), "tackle-network-"));
  if (user) await chown(folder, user.uid, user.gid);
  const proxy =
    hosts.length > 0 ? createHostProxy({ hosts, onDenied: (target) => denied.add(target) }) : undefined;
  const socket = join(folder, "proxy");
  // Another user may not reach the folder of our Node.
  const node = openSync(process.execPath, "r");
  const program = proxy
    ? [`/proc/self/fd/${NODE_DESCRIPTOR}`, "-e", FORWARD, socket]
    : ["/bin/sh", "-c", "echo ready; read line"];
  let holder: ChildProcess | undefined;
  let namespaces: readonly [number, number] | undefined;
  async function close(): Promise<void> {
    holder?.kill("SIGKILL");
    proxy?.close();
    proxy?.closeAllConnections();
    for (const descriptor of namespaces ?? []) closeSync(descriptor);
    namespaces = undefined;
    await rm(folder, { recursive: true, force: true });
  }
  try {
    if (proxy) await listen(proxy, socket, user);
    holder = spawn(
      bubblewrap,
      [
        ...[
          "--unshare-user",
          "--unshare-net",
          "--uid",
          "0",
          "--gid",
          "0",
          "--die-with-parent",
          "--new-session",
        ],
        ...["--ro-bind", "/", "/", "--dev", "/dev", "--json-status-fd", "3", "--", ...program],
      ],
      { cwd: "/", env: {}, stdio: ["pipe", "pipe", "ignore", "pipe", node], detached: true, ...user },
    );
    namespaces = await namespacesOf(holder);
    const held = namespaces;
    const running = holder;
    running.on("error", () => {});
    return {
      namespaces: held,
      variables: proxy ? proxyVariables(hosts) : {},
      takeDenied() {
        const taken = [...denied];
        denied.clear();
        return taken;
      },
      isOpen: () => namespaces !== undefined && running.exitCode === null && running.signalCode === null,
      close,
    };
  } catch (thrown) {
    await close();
    throw new Failure("TOOL_FAILED", "The network for commands could not be set up.", { cause: thrown });
  } finally {
    closeSync(node);
  }
}

async function listen(proxy: Server, socket: string, user: CommandUser | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    proxy.once("error", reject);
    proxy.listen(socket, resolve);
  });
  proxy.unref();
  if (user) await chown(socket, user.uid, user.gid);
}

/** Waits until the namespaces are there, and opens them. As descriptors they cannot be mistaken for those of another process. */
async function namespacesOf(holder: ChildProcess): Promise<readonly [user: number, network: number]> {
  let status = "";
  let said = "";
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("it took too long")), START_MS);
    const fail = () => reject(new Error("it ended at once"));
    holder.once("error", reject);
    holder.once("exit", fail);
    const look = () => {
      if (!said.includes("ready") || !status.includes("}")) return;
      clearTimeout(timer);
      holder.off("exit", fail);
      resolve();
    };
    (holder.stdio[3] as Readable).on("data", (chunk: Buffer) => {
      status += chunk.toString();
      look();
    });
    holder.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      look();
    });
  });
  const found = JSON.parse(status.split("\n")[0] ?? "") as { "child-pid": number; "net-namespace"?: number };
  const user = openSync(`/proc/${found["child-pid"]}/ns/user`, "r");
  const network = openSync(`/proc/${found["child-pid"]}/ns/net`, "r");
  // If the process ended and another has its number now, this would be the network of the host.
  if (fstatSync(network).ino === found["net-namespace"]) return [user, network];
  closeSync(user);
  closeSync(network);
  throw new Error("the namespace is gone");
}

/** Programs read these in lower or upper case. Node needs to be told to read them at all. */
function proxyVariables(hosts: readonly HostRule[]): Record<string, string> {
  // A name of the host's own that is allowed is meant for the proxy. All others are servers of this session.
  const direct = LOOPBACK.filter((name) => !hosts.some(({ host }) => host === name)).join(",");
  const names = { http_proxy: PROXY, https_proxy: PROXY, all_proxy: PROXY, no_proxy: direct };
  const upper = Object.entries(names).map(([name, value]) => [name.toUpperCase(), value]);
  return { ...names, ...Object.fromEntries(upper), NODE_USE_ENV_PROXY: "1" };
}
