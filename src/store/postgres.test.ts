import { afterAll, beforeAll, describe } from "vitest";
import { storeConformance } from "./conformance.ts";
import { type Cluster, findReleases, startCluster } from "./testing/postgres.ts";
import { openPostgresHarness } from "./testing/postgres-harness.ts";

const releases = findReleases();

describe.each(releases)("$name", (release) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster(release);
  });
  afterAll(() => cluster.dispose());
  storeConformance(release.name, () => openPostgresHarness(cluster));
});
