import { afterAll, beforeAll, describe } from "vitest";
import { isLong } from "../../test/support/long.ts";
import type { OpenHarness } from "./conformance/harness.ts";
import { OF_RUNS, storeConformance } from "./conformance.ts";
import { hasNats, type NatsServers, startNats } from "./testing/nats.ts";
import { openPostgresWithNats } from "./testing/nats-store.ts";
import { type Cluster, findRelease, startCluster } from "./testing/postgres.ts";
import { openPostgresHarness } from "./testing/postgres-harness.ts";

const release = findRelease();

describe.skipIf(!release || !hasNats())("three nodes", () => {
  let cluster: Cluster;
  let nats: NatsServers;
  beforeAll(async () => {
    if (!release) return;
    [cluster, nats] = await Promise.all([startCluster(release), startNats()]);
  });
  afterAll(async () => {
    await cluster.dispose();
    await nats.dispose();
  });

  const open: OpenHarness = async () => {
    // Creating a replicated stream takes a tenth of a second, so each database has only one.
    const journalUrl = `${nats.url}?streams=1`;
    const harness = await openPostgresHarness(cluster, {
      open: (options) => openPostgresWithNats({ ...options, journalUrl }),
      elsewhere: (options) => ({
        module: new URL("./testing/nats-store.ts", import.meta.url).href,
        function: "openPostgresWithNats",
        argument: JSON.stringify({ ...options, journalUrl }),
      }),
    });
    harness.foldsByItself = true;
    const { dispose } = harness;
    harness.dispose = async () => {
      await dispose();
      await nats.empty();
    };
    return harness;
  };
  // Only runs have events in NATS. Everything else is as with PostgreSQL alone.
  storeConformance("PostgreSQL and NATS", open, isLong ? undefined : OF_RUNS);
});
