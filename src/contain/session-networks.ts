import { stat } from "node:fs/promises";
import type { CommandCaller, CommandNetwork } from "../protocol/commands.ts";
import type { Sandbox } from "../protocol/tool.ts";
import type { HostRule } from "./command/hosts.ts";
import { canShareNetwork, type HeldNetwork, openNetwork } from "./command/network.ts";
import { userFor } from "./command/user.ts";
import { realRoots } from "./command/workspace.ts";

/** How long a network stays without a command in it. */
const IDLE_MS = 60_000;

interface Entry {
  network: Promise<HeldNetwork>;
  users: number;
  idle?: NodeJS.Timeout;
}

export interface SessionNetworks {
  networkFor(caller: CommandCaller, needed: boolean): Promise<CommandNetwork | undefined>;
  close(): Promise<void>;
}

/** The networks of all sessions. One is made when a command needs it, and closed when none has used it for a minute. */
export function createSessionNetworks(sandbox: Sandbox, hosts: readonly HostRule[]): SessionNetworks {
  const entries = new Map<string, Entry>();
  const possible = sandbox.tier === "bubblewrap" && canShareNetwork();

  async function discard(key: string, entry: Entry): Promise<void> {
    if (entries.get(key) === entry) entries.delete(key);
    clearTimeout(entry.idle);
    await entry.network.then(
      (network) => network.close(),
      () => {}, // It never opened.
    );
  }

  async function open(roots: readonly string[]): Promise<HeldNetwork> {
    const [root = "/"] = await realRoots(roots);
    return openNetwork(sandbox.program ?? "bwrap", hosts, userFor(await stat(root), root, sandbox));
  }

  async function networkFor(caller: CommandCaller, needed: boolean): Promise<CommandNetwork | undefined> {
    if (!possible) return undefined;
    // A call outside of a session has its own network.
    const key = caller.sessionId ?? `call ${Math.random()}`;
    let entry = entries.get(key);
    if (!entry && hosts.length === 0 && !needed) return undefined;
    entry ??= { network: open(caller.roots), users: 0 };
    entries.set(key, entry);
    const mine = entry;
    clearTimeout(mine.idle);
    mine.users += 1;
    let network: HeldNetwork;
    try {
      network = await mine.network;
    } catch (thrown) {
      await discard(key, mine);
      throw thrown;
    }
    if (!network.isOpen()) {
      await discard(key, mine);
      return networkFor(caller, needed);
    }
    return {
      namespaces: network.namespaces,
      variables: network.variables,
      takeDenied: network.takeDenied,
      async release() {
        mine.users -= 1;
        if (mine.users > 0) return;
        if (caller.sessionId === undefined) await discard(key, mine);
        else mine.idle = setTimeout(() => void discard(key, mine), IDLE_MS).unref();
      },
    };
  }

  return {
    networkFor,
    async close() {
      await Promise.all([...entries].map(([key, entry]) => discard(key, entry)));
    },
  };
}
