import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreHarness } from "./conformance/harness.ts";
import { storeConformance } from "./conformance.ts";
import { openSqliteStore } from "./sqlite.ts";

storeConformance("SQLite", openHarness);

async function openHarness(): Promise<StoreHarness> {
  const directory = await mkdtemp(join(tmpdir(), "tackle-store-"));
  const path = join(directory, "tackle.db");
  let time = Date.UTC(2030, 0, 1);
  const now = () => time;
  const harness: StoreHarness = {
    store: await openSqliteStore({ path, now }),
    advance(milliseconds) {
      time += milliseconds;
    },
    async reopen() {
      await harness.store.close();
      harness.store = await openSqliteStore({ path, now });
      return harness.store;
    },
    elsewhere: {
      module: new URL("./sqlite.ts", import.meta.url).href,
      function: "openSqliteStore",
      argument: JSON.stringify({ path }),
    },
    async dispose() {
      await harness.store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return harness;
}
