import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { AwsClient } from "aws4fetch";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  missingObjectStorage,
  type ObjectStorage,
  startObjectStorage,
} from "../src/files/testing/object-storage.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { type Cluster, findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { ask, bearer, signUp } from "./support/accounts.ts";
import { plantEverywhere, startObedientModel, Words, writeOwnTools } from "./support/planted.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

/** All files below a folder, including the raw bytes of the database and its log. */
function filesBelow(folder: string): Map<string, Buffer> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(found.map(({ parentPath, name }) => [`file ${name}`, readFileSync(join(parentPath, name))]));
}

function tablesOf(path: string): Map<string, Buffer> {
  const database = new DatabaseSync(path, { readOnly: true });
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const tables = names.map(({ name }): [string, Buffer] => {
    const rows = database.prepare(`SELECT * FROM "${name}"`).all();
    return [
      `table ${name}`,
      Buffer.from(
        JSON.stringify(rows, (_, value) =>
          value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
        ),
      ),
    ];
  });
  database.close();
  return new Map(tables);
}

async function rowsOf(cluster: Cluster): Promise<Map<string, Buffer>> {
  const tables = (await cluster.run(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'tackle'",
  )) as { name: string }[];
  const all = new Map<string, Buffer>();
  for (const { name } of tables) {
    const rows = (await cluster.run(`SELECT * FROM tackle."${name}"`)) as object[];
    all.set(
      `table ${name}`,
      Buffer.from(
        JSON.stringify(
          rows.map((row) =>
            Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString("latin1") : value)),
          ),
        ),
      ),
    );
  }
  return all;
}

async function objectsIn({ options }: ObjectStorage): Promise<Map<string, Buffer>> {
  const { endpoint, bucket, ...keys } = options;
  const client = new AwsClient({ ...keys, service: "s3" });
  const list = await (await client.fetch(`${endpoint}/${bucket}?list-type=2`)).text();
  const all = new Map<string, Buffer>();
  for (const [, key = ""] of list.matchAll(/<Key>(.*?)<\/Key>/g))
    all.set(
      `object ${key}`,
      Buffer.from(await (await client.fetch(`${endpoint}/${bucket}/${key}`)).arrayBuffer()),
    );
  return all;
}

/** Returns `place: doors` for every place that holds a word. */
function holders(words: Words, places: Map<string, Buffer>): string[] {
  return [...places].flatMap(([place, bytes]) => {
    const doors = words.foundIn(bytes);
    return doors.length > 0 ? [`${place}: ${doors.join(", ")}`] : [];
  });
}

const release = findRelease();
const lacking = release ? missingObjectStorage() : "PostgreSQL is not installed";
if (lacking && !process.env.CI) console.log(`Erasure is tested on SQLite and disk only: ${lacking}.`);

for (const engine of ["SQLite and disk", "PostgreSQL and S3"] as const) {
  const shared = engine !== "SQLite and disk";
  describe.skipIf(shared && lacking !== undefined && !process.env.CI)(
    `on ${engine}`,
    { timeout: 240_000 },
    () => {
      const folder = temporaryFolder();
      const [dataDir, workspace] = [join(folder.path, "data"), join(folder.path, "work")];
      const words = new Words();
      let upstream: Upstream;
      let cluster: Cluster | undefined;
      let storage: ObjectStorage | undefined;
      let server: ServerProcess;
      let env: Record<string, string> = {};

      beforeAll(async () => {
        upstream = await startObedientModel(words);
        if (shared && release)
          [cluster, storage] = await Promise.all([startCluster(release), startObjectStorage()]);
        const {
          endpoint = "",
          bucket = "",
          region = "",
          accessKeyId = "",
          secretAccessKey = "",
        } = storage?.options ?? {};
        writeOwnTools(join(folder.path, "tools"), words);
        env = {
          TACKLE_TOOLS_DIR: join(folder.path, "tools"),
          ...modelAt(upstream.url),
          TACKLE_AUTH: "guest",
          TACKLE_ROOTS: workspace,
          TACKLE_TITLE_MODEL: "openai/gpt-4o",
          TACKLE_LOG: "debug",
          ...(cluster ? { DATABASE_URL: cluster.url } : {}),
          ...(storage
            ? {
                S3_ENDPOINT: endpoint,
                S3_BUCKET: bucket,
                S3_REGION: region,
                S3_ACCESS_KEY_ID: accessKeyId,
                S3_SECRET_ACCESS_KEY: secretAccessKey,
              }
            : {}),
        };
        server = await startServer(dataDir, env);
      });
      afterAll(async () => {
        await server?.stop();
        await upstream?.close();
        await cluster?.dispose();
        await storage?.stop();
        folder.remove();
      });

      async function everything(): Promise<Map<string, Buffer>> {
        return new Map([
          ...filesBelow(dataDir),
          ...(cluster ? await rowsOf(cluster) : tablesOf(join(dataDir, "tackle.db"))),
          ...(storage ? await objectsIn(storage) : []),
          ["log", Buffer.from(server.output())],
        ]);
      }

      it("nothing is left of deleted sessions, anywhere", async () => {
        const account = await signUp(server, "ann");
        const headers = bearer(account.token);
        const sessions = await plantEverywhere(server, headers, words, join(workspace, account.id));
        const before = holders(words, await everything());
        const seen = new Set(before.flatMap((line) => line.split(": ")[1]?.split(", ") ?? []));
        expect(words.doors.filter((door) => !seen.has(door) && door !== "withdrawn")).toEqual([]);
        for (const id of new Set(sessions)) await ask(server, "DELETE", `/sessions/${id}`, headers);
        await expect.poll(async () => holders(words, await everything()), { timeout: 15_000 }).toEqual([]);
      });
    },
  );
}
