import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  missingObjectStorage,
  type ObjectStorage,
  startObjectStorage,
} from "../src/files/testing/object-storage.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { type Cluster, findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { ask, bearer, call, PASSWORD, signUp } from "./support/accounts.ts";
import { isLong } from "./support/long.ts";
import {
  plantEverywhere,
  plantFew,
  plantProject,
  startObedientModel,
  Words,
  writeOwnTools,
} from "./support/planted.ts";
import {
  modelAt,
  runTackle,
  type ServerProcess,
  startOwnServer,
  startServer,
  temporaryFolder,
} from "./support/server.ts";
import { postChat, readFrames } from "./support/sse.ts";

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
      const [dataDir, workspace, tools] = ["data", "work", "tools"].map((name) =>
        join(folder.path, name),
      ) as [string, string, string];
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
        env = {
          TACKLE_TOOLS_DIR: tools,
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

      const runSql = async (sql: string) => {
        if (cluster) return void (await cluster.run(`SET search_path TO tackle; ${sql}`));
        const database = new DatabaseSync(join(dataDir, "tackle.db"));
        database.exec(sql);
        database.close();
      };
      const now = () => (cluster ? "now()" : String(Date.now()));

      async function everything(): Promise<Map<string, Buffer>> {
        return new Map([
          ...filesBelow(dataDir),
          ...(cluster ? await rowsOf(cluster) : tablesOf(join(dataDir, "tackle.db"))),
          ...(storage ? await objectsIn(storage) : []),
          ["log", Buffer.from(server.output())],
        ]);
      }

      let planted = 0;
      /** Plants words through every door as a new account, and makes sure that they are there. */
      async function plant(name: string, plantWords = plantEverywhere) {
        words.startAnew();
        if (plantWords === plantEverywhere) {
          writeOwnTools(tools, words);
          await server.stop();
          server = await startServer(dataDir, env);
        }
        planted += 1;
        const account = await signUp(server, `${name}-${planted}`);
        const headers = bearer(account.token);
        const sessions = await plantWords(server, headers, words, join(workspace, account.id));
        async function missing(): Promise<string[]> {
          const lines = holders(words, await everything());
          const seen = new Set(lines.flatMap((line) => line.split(": ")[1]?.split(", ")));
          // This one was overwritten before it was withdrawn.
          return words.doors.filter((door) => !seen.has(door) && door !== "withdrawn");
        }
        await expect.poll(missing).toEqual([]);
        return { account, headers, sessions: [...new Set(sessions)] };
      }

      /** Other tests show what each door leaves. Where a crash, a clock or another store is tested, a few doors are enough for `npm test`. */
      const plantSome = (name: string) => plant(name, isLong ? plantEverywhere : plantFew);
      /** What these show beyond SQLite is in the tests of the store. */
      const onSqlite = it.skipIf(shared && !isLong);

      const nothingIsLeft = () =>
        expect.poll(async () => holders(words, await everything()), { timeout: 20_000 }).toEqual([]);

      it("nothing is left of deleted sessions, anywhere", async () => {
        const { headers, sessions } = await (shared ? plantSome : plant)("ann");
        for (const id of sessions) await ask(server, "DELETE", `/sessions/${id}`, headers);
        await nothingIsLeft();
      });

      it.skipIf(shared)(
        "nothing is left of a deleted account, even if the server dies while it is deleted",
        async () => {
          const { account, headers } = await plantSome("bob");
          await ask(server, "POST", "/me/keys", headers, { name: words.of("keyname") });
          await ask(server, "POST", "/tools/generate_artifact", headers, {
            type: "code",
            code: `// ${words.of("directartifact")}`,
          });
          // From the log into the database file.
          await server.stop();
          await runSql(`INSERT INTO erasures (kind, id, at) VALUES ('account', '${account.id}', ${now()})`);
          server = await startServer(dataDir, env);
          await nothingIsLeft();
          expect(holders(new Words([account.email]), await everything())).toEqual([]);
          expect((await call(server, "GET", "/sessions", headers)).status).toBe(401);
        },
      );

      onSqlite(
        "nothing is left of a deleted project, its files and what could be found in them",
        async () => {
          words.startAnew();
          const headers = bearer((await signUp(server, "ida")).token);
          const id = await plantProject(server, headers, words);
          expect(holders(words, await everything()).join(" ")).toContain("projectfile");
          await ask(server, "DELETE", `/projects/${id}`, headers);
          // The journal of its conversation has what the answer was.
          const { sessions } = await ask<{ sessions: { id: string }[] }>(server, "GET", "/sessions", headers);
          expect(sessions).toHaveLength(1);
          for (const session of sessions) await ask(server, "DELETE", `/sessions/${session.id}`, headers);
          await nothingIsLeft();
        },
      );

      onSqlite("an account deletes itself with everything", async () => {
        const { account, headers } = await plant("cid");
        await plantProject(server, headers, words);
        await ask(server, "PATCH", "/projects/default", headers, { about: words.of("about") });
        await ask(server, "PATCH", "/me/memory", headers, { text: words.of("ownline") });
        await server.stop();
        server = await startServer(dataDir, env);
        await ask(server, "DELETE", "/me", headers, { password: PASSWORD });
        await nothingIsLeft();
        expect(holders(new Words([account.email]), await everything())).toEqual([]);
      });

      onSqlite(
        "a session that is deleted while its answer streams leaves nothing, and the vendor's connection ends",
        async () => {
          words.startAnew();
          const account = await signUp(server, "dan");
          const headers = bearer(account.token);
          const endless = Array.from({ length: 400 }, () => words.of("streamed")).join(" ");
          upstream.play(chatTurn({ text: endless, chunkSize: "word", gapMs: 20 }));
          const response = await postChat(server.url, { message: `Go on ${words.of("asked")}` }, { headers });
          let seen = 0;
          let sessionId = "";
          const frames = await readFrames(response, ({ data }) => {
            if (sessionId === "") sessionId = (JSON.parse(data) as { sessionId: string }).sessionId;
            seen += 1;
            if (seen === 20) void ask(server, "DELETE", `/sessions/${sessionId}`, headers);
            return true;
          });
          expect(frames.length).toBeLessThan(400);
          await expect.poll(() => upstream.requests.some(({ aborted }) => aborted)).toBe(true);
          await nothingIsLeft();
        },
      );

      it.skipIf(shared)("after a crash right after a deletion, the next start removes the rest", async () => {
        const { headers, sessions } = await plantSome("eve");
        await server.stop();
        const own = await startOwnServer(dataDir, env);
        onTestFinished(() => own.kill());
        await Promise.all(sessions.map((id) => ask(own, "DELETE", `/sessions/${id}`, headers)));
        await own.kill();
        server = await startServer(dataDir, env);
        await nothingIsLeft();
      });

      it.skipIf(shared)(
        "a backup says what it still holds, and restoring it deletes that again",
        async () => {
          words.startAnew();
          await server.stop();
          server = await startServer(dataDir, env);
          const [gus, hal] = [await signUp(server, "gus"), await signUp(server, "hal")];
          const planted = async (headers: Record<string, string>, door: string) => {
            const answer = await ask<{ sessionId: string }>(server, "POST", "/chat", headers, {
              message: words.of(door),
              stream: false,
            });
            return answer.sessionId;
          };
          const deleted = await planted(bearer(gus.token), "deleted");
          await planted(bearer(gus.token), "kept");
          await planted(bearer(hal.token), "account");
          const archive = join(folder.path, "backup.tackle");
          expect((await runTackle(["backup", archive, "--data", dataDir])).said).toContain(
            "what is deleted later",
          );
          expect((await runTackle(["backup", "verify", archive, "--data", dataDir])).said).toMatch(
            /is whole\. Made .*: \d+ sessions, from .* \d+ accounts.*sessions forever.*\nNothing/s,
          );
          await ask(server, "DELETE", `/sessions/${deleted}`, bearer(gus.token));
          await ask(server, "DELETE", "/me", bearer(hal.token), { password: PASSWORD });
          const { said } = await runTackle(["backup", "verify", archive, "--data", dataDir]);
          expect(said).toContain("It still holds 2 conversations, projects, remembered lines or accounts");
          expect(said).toContain(`session ${deleted}`);
          expect(said).toContain(`account ${hal.id}`);
          await server.stop();
          const restored = await runTackle(["restore", archive, "--force", "--data", dataDir]);
          expect(restored.said).toContain(
            "2 conversations, projects, remembered lines or accounts that were deleted after the backup were deleted again",
          );
          const left = holders(words, tablesOf(join(dataDir, "tackle.db"))).join(" ");
          expect(left).toContain("kept");
          expect(left).not.toMatch(/deleted|account\b/);
          server = await startServer(dataDir, env);
          expect((await call(server, "GET", "/sessions", bearer(hal.token))).status).toBe(401);
          expect(
            (await ask<{ sessions: object[] }>(server, "GET", "/sessions", bearer(gus.token))).sessions,
          ).toHaveLength(1);
        },
      );

      it.skipIf(shared)("sessions and files go when they are older than the settings allow", async () => {
        await plantSome("fay");
        await server.stop();
        await setTimeout(1_000); // Until everything is older than that.
        server = await startServer(dataDir, {
          ...env,
          TACKLE_SESSIONS_DAYS: "0.00001",
          TACKLE_FILES_DAYS: "0.00001",
        });
        await nothingIsLeft();
      });
    },
  );
}
