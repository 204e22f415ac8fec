import { afterAll, beforeAll, describe } from "vitest";
import { storeConformance } from "./conformance.ts";
import { type Cluster, findRelease, findReleases, startCluster } from "./testing/postgres.ts";
import { openPostgresHarness } from "./testing/postgres-harness.ts";

const releases = findReleases();

describe.skipIf(!findRelease())("on every installed release", () => {
  for (const release of releases) {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await startCluster(release);
    });
    afterAll(() => cluster.dispose());
    storeConformance(release.name, () => openPostgresHarness(cluster));
  }
});
