import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import type { Store } from "../../protocol/store.ts";
import { doneEvent, endOf, openedRun } from "../conformance/harness.ts";
import { openPostgresStore } from "../postgres.ts";
import { openSqliteStore } from "../sqlite.ts";
import { type Cluster, findRelease, startCluster } from "../testing/postgres.ts";
import { copyInto, entriesOf } from "./copy.ts";
import type { Engine } from "./entries.ts";
import { openPostgresEngine } from "./postgres.ts";
import { openSqliteEngine } from "./sqlite.ts";

const release = findRelease();
const NO_FILES = { keepFile: async () => {}, keepKey: async () => {} };
const SAID = ["Hello, ", "Ada. ", "How are you?"].map(contentDelta);

describe.skipIf(!release)("folded events", () => {
  const folder = mkdtempSync(join(tmpdir(), "tackle-folded-"));
  let cluster: Cluster;
  beforeAll(async () => {
    if (release) cluster = await startCluster(release);
  });
  afterAll(async () => {
    await cluster?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  async function copy(from: Engine, to: Engine): Promise<void> {
    await copyInto(to, entriesOf(from), NO_FILES, { empty: true });
    await from.close();
    await to.close();
  }

  test("are copied to the other engine and back, with the pages of active runs", async () => {
    const path = join(folder, "copy.db");
    const back = cluster.url.replace(/\/[^/?]*(\?|$)/, "/back$1");
    await cluster.run("CREATE DATABASE back");
    const source = await openPostgresStore({ url: cluster.url });
    const [ended, active] = [await openedRun(source), await openedRun(source)];
    for (const { id: runId, epoch } of [ended, active]) {
      const events = SAID.map((event) => JSON.stringify(event));
      await source.commit([{ runId, epoch, firstSeq: 2, events, steps: [] }], { durable: true });
    }
    await source.finishRun(endOf(ended, 5, [doneEvent(ended)], SAID));
    const read = async (store: Store) => [
      await store.readEvents(ended.id, 0, 100),
      await store.readEvents(active.id, 0, 100),
    ];
    const expected = await read(source);
    expect(expected.map((events) => events.length)).toEqual([5, 4]);

    const embedded = await openSqliteStore({ path });
    await embedded.close();
    await copy(await openPostgresEngine(cluster.url, "read"), openSqliteEngine(path, "write"));
    const copied = await openSqliteStore({ path });
    expect(await read(copied)).toEqual(expected);
    expect(await copied.foldEvents(10)).toBe(0);
    await copied.close();

    const other = await openPostgresStore({ url: back });
    await copy(openSqliteEngine(path, "read"), await openPostgresEngine(back, "write"));
    expect(await read(other)).toEqual(expected);
    expect(await other.foldEvents(10)).toBe(0);
    await Promise.all([source.close(), other.close()]);
  });
});
