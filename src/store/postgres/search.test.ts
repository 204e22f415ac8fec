import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../protocol/store.ts";
import { openPostgresStore } from "../postgres.ts";
import { type Cluster, findRelease, startCluster } from "../testing/postgres.ts";

const release = findRelease();
const MESSAGES = 2_500;

describe.skipIf(!release)("searching many messages in PostgreSQL", () => {
  let cluster: Cluster;
  let store: Store;
  const run = (sql: string) => cluster.run(`SET search_path = many; ${sql}`);
  const found = async (query: string) =>
    (await store.search("ada", { query, limit: 20 })).results.map(({ messageId }) => messageId);

  // All have “every”, every third “third”, every hundredth “seldom”, and one old message “unique”.
  beforeAll(async () => {
    if (!release) return;
    cluster = await startCluster(release);
    store = await openPostgresStore({ url: cluster.url, schema: "many" });
    await run(`
      INSERT INTO sessions (id, user_id, title, created_at, updated_at, head_id)
        SELECT 's' || n, 'ada', 'Notes', now(), now() - INTERVAL '1 second' * n, NULL FROM generate_series(0, ${MESSAGES / 10}) AS n;
      INSERT INTO messages (id, session_id, position, role, text, parts, created_at)
        SELECT 'm' || n, 's' || n / 10, n, 'user', 'every thing ' || n ||
          CASE WHEN n % 3 = 0 THEN ' the third' ELSE '' END || CASE WHEN n % 100 = 0 THEN ' seldom said' ELSE '' END ||
          CASE WHEN n = 5 THEN ' unique and the end' ELSE '' END, '[]', now() - INTERVAL '1 second' * (${MESSAGES} - n)
        FROM generate_series(1, ${MESSAGES}) AS n;
      DELETE FROM search_changes; DELETE FROM search_fill;
      -- As an older version indexes them: without pairs.
      INSERT INTO search_documents (kind, source, session_id, user_id, at, words)
        SELECT 'message', id, session_id, 'ada', created_at, to_tsvector('simple', text) FROM messages;
      ANALYZE search_documents`);
  });
  afterAll(async () => {
    await store?.close();
    await cluster?.dispose();
  });

  async function expectAll(): Promise<void> {
    expect(await found("every")).toHaveLength(20);
    expect(await found("eve thi thir")).toHaveLength(20);
    expect(await found("every uni")).toEqual(["m5"]);
    expect(await found("every third seldom")).toHaveLength(8);
    expect(await found('"the end"')).toEqual(["m5"]);
    expect(await found('"seldom said"')).toHaveLength(20);
    expect(await found('"said seldom"')).toEqual([]);
    expect(await found('"every third"')).toEqual([]);
    expect(await found("every nothing")).toEqual([]);
  }

  test(
    "finds common and rare words and phrases, also in documents that an older version has indexed",
    expectAll,
  );

  test("adds the pairs that make phrases fast, and then finds the same", async () => {
    await store.startIndexing();
    const left = () =>
      cluster.run("SELECT count(*)::int AS count FROM many.search_documents WHERE NOT pairs");
    await expect.poll(left, { timeout: 30_000 }).toEqual([{ count: 0 }]);
    await expectAll();
  });

  test("finds a phrase in a text with very many pairs", async () => {
    const words = Array.from({ length: 12_000 }, (_, at) => `w${at.toString(36)}`).join(" ");
    await store.createSession({ id: "long", userId: "ada", title: "Long" });
    await run(`INSERT INTO messages (id, session_id, position, role, text, parts, created_at)
      VALUES ('long', 'long', 1, 'user', '${words} pelican crossing', '[]', now())`);
    expect(await found('"pelican crossing"')).toEqual(["long"]);
    expect(await found('"w0 w2"')).toEqual([]);
  });
});
