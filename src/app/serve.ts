import { createPresence } from "../http/presence.ts";
import type { MetricsSnapshot } from "../http/sum-metrics.ts";
import { recordChangedSettings } from "./changed-settings.ts";
import { collectGarbage } from "./collect-garbage.ts";
import type { Config } from "./config.ts";
import type { Peers } from "./processes/peers.ts";
import { rehearse } from "./rehearse.ts";
import { createTackle, type Tackle } from "./tackle.ts";

/** A person who is alone waits for the start, and not for a collection a moment later. */
const COLLECT_MS = 3_000;
/** The part of the grace period for releasing runs and closing connections. */
const CLOSE_MS = 1_500;

export interface Serving {
  url: string;
  /** The token that the first account needs. Undefined once there is an account. */
  setUpToken: string | undefined;
  tackle: Tackle;
  /** What this process has counted. */
  metrics(): Promise<MetricsSnapshot>;
  /** Leaves the port to other processes. Resolves when no connection is left. */
  retire(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the app with the HTTP server in front of it, alone or as one of several processes. */
export async function serve(config: Config, peers?: Peers): Promise<Serving> {
  const presence = createPresence();
  peers?.onNote((note) => {
    if (note.kind === "disconnect") presence.end(note.userId);
  });
  const tackle = await createTackle(config, {
    endConnections(userId) {
      presence.end(userId);
      peers?.tell({ kind: "disconnect", userId });
    },
    peers,
  });
  const closers: (() => unknown)[] = [() => tackle.close()];
  try {
    if (peers?.first !== false) await recordChangedSettings(tackle);
    // Who keeps the server's log elsewhere can compare this with the audit log later.
    tackle.log.info({ head: (await tackle.store.auditHead()) ?? null }, "the newest entry of the audit log");
    // Imported here, so that programs that never serve start faster.
    const { openServer } = await import("./open-server.ts");
    const { server, accounts, mcp, closeAccounts } = await openServer(tackle, presence, peers);
    closers.push(closeAccounts);
    // What is loaded or built once must not be a stall that a stranger can cause.
    if (config.auth !== "none")
      await Promise.all([server.prepare(), ...(config.rehearse ? [rehearse(tackle)] : [])]);
    if (config.auth !== "none" && config.rehearse) collectGarbage();
    const { url } = await server.listen(config.host, config.port);
    if (config.auth === "none") setTimeout(collectGarbage, COLLECT_MS).unref();
    tackle.mcp.listensAt(url);
    return {
      url,
      setUpToken: await accounts?.setUpToken(),
      tackle,
      metrics: server.metrics,
      async retire() {
        tackle.retire();
        await server.retire();
      },
      async close() {
        server.drain();
        await tackle.handOver(config.graceMs - Math.min(CLOSE_MS, config.graceMs / 4));
        await mcp.close();
        await server.close();
        for (const close of closers.reverse()) await close();
      },
    };
  } catch (thrown) {
    for (const close of closers.reverse()) await close();
    throw thrown;
  }
}
