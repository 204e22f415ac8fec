import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingObjectStorage, startObjectStorage } from "../src/files/testing/object-storage.ts";
import { type Cluster, findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { ask, bearer, signUp, type TestAccount } from "./support/accounts.ts";
import { runTackle, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, firstEvent } from "./support/sse.ts";

const QUESTIONS = [
  "What time is it in Paris?",
  "A line separator \u2028 and a nothing \0 in it",
  "Naïve café ☕",
];

const release = findRelease();
const folder = temporaryFolder();
const archive = `${folder.path}/all.tackle`;
let account: TestAccount;
let sessions: string[];
let file: { fileId: string; url: string };
let projectId: string;
let cluster: Cluster | undefined;

async function addProjectFile(server: ServerProcess, body: string): Promise<void> {
  const response = await fetch(`${server.url}/projects/${projectId}/files?name=offer.txt`, {
    method: "POST",
    headers: { ...bearer(account.token), "content-type": "text/plain" },
    body,
  });
  expect(response.status).toBe(201);
}

beforeAll(async () => {
  if (release) cluster = await startCluster(release);
  const server = await startServer(`${folder.path}/first`, { TACKLE_AUTH: "guest" });
  try {
    account = await signUp(server, "ann");
    const headers = bearer(account.token);
    sessions = [];
    for (const message of QUESTIONS)
      sessions.push(firstEvent(await chat(server.url, { message }, { headers }), "session").sessionId);
    const uploaded = await fetch(`${server.url}/files?name=notes.txt`, {
      method: "POST",
      headers: { ...headers, "content-type": "text/plain" },
      body: "kept bytes ".repeat(50_000),
    });
    file = (await uploaded.json()) as typeof file;
    const { id } = await ask<{ id: string }>(server, "POST", "/projects", headers, { name: "Lisbon" });
    projectId = id;
    await addProjectFile(server, "The desks cost 1340 euros.");
    await ask(server, "PATCH", "/me/memory", headers, { text: "Likes tea." });
    await backUpWhileWriting(server, headers);
  } finally {
    await server.stop();
  }
});
afterAll(async () => {
  await cluster?.dispose();
  folder.remove();
});

/** Runs the `tackle` command. */
const tackle = (args: string[], env: Record<string, string> = {}) =>
  runTackle(args, { HOME: folder.path, ...env });

/** Takes a backup while turns keep arriving. */
async function backUpWhileWriting(server: ServerProcess, headers: Record<string, string>): Promise<void> {
  let stop = false;
  let turns = 0;
  const writing = (async () => {
    while (!stop && turns < 500) {
      await chat(server.url, { message: `turn ${turns++}` }, { headers });
      await pause(20); // Every turn is restored again and again below.
    }
  })();
  const before = turns;
  const { code, said } = await tackle(["backup", archive, "--data", server.dataDir]);
  stop = true;
  await writing;
  expect(said).toMatch(/: \d+ sessions, \d+ rows, 2 files\./);
  expect(code).toBe(0);
  const nowhere = await tackle(["backup", "/nowhere/backup", "--data", server.dataDir]);
  expect(nowhere).toMatchObject({
    code: 2,
    said: "tackle: /nowhere/backup cannot be written: there is no such folder.\n",
  });
  expect(turns).toBeGreaterThan(before + 1);
}

/** Returns what the person sees with the old token: the conversations and the file. */
async function readAsPerson(dataDir: string, env: Record<string, string> = {}) {
  const server = await startServer(dataDir, { TACKLE_AUTH: "guest", ...env });
  try {
    const shown = bearer(account.token);
    const messages = await Promise.all(
      sessions.map((id) => ask(server, "GET", `/sessions/${id}/messages`, shown)),
    );
    const listed = await ask<{ files: { fileId: string; url: string }[] }>(server, "GET", "/files", shown);
    const found = listed.files.find(({ fileId }) => fileId === file.fileId);
    const bytes = found ? await (await fetch(server.url + found.url)).text() : undefined;
    const { lines } = await ask<{ lines: object[] }>(server, "GET", "/me/memory", shown);
    const question = { message: "What do the files say about desks?", projectId, stream: false };
    const { sources } = await ask<{ sources: object[] }>(server, "POST", "/chat", shown, question);
    expect(sources).toHaveLength(1);
    // The database continues its row numbers after the restored ones.
    await addProjectFile(server, "Chairs.");
    await chat(server.url, { message: "What time is it in Rome?" }, { headers: shown });
    return { messages, bytes, lines };
  } finally {
    await server.stop();
  }
}

let first: ReturnType<typeof readAsPerson> | undefined;
/** What was backed up. */
const readFirst = () => (first ??= readAsPerson(`${folder.path}/first`));

/** PostgreSQL cannot store NUL in text, so it is replaced. */
function withoutNul(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll("\\u0000", "\uFFFD"));
}

describe("tackle backup and restore", () => {
  it("restores sessions, accounts, keys and files from an archive taken while the server was writing", async () => {
    expect(statSync(archive).mode & 0o777).toBe(0o600);
    const restored = await tackle(["restore", archive, "--data", `${folder.path}/second`]);
    expect(restored.said).toMatch(/^\d+ sessions, all hashes equal\./);
    expect(restored.code).toBe(0);
    const there = await readAsPerson(`${folder.path}/second`);
    expect(there).toEqual(await readFirst());
    expect(there.bytes).toBe("kept bytes ".repeat(50_000));
  });

  it("refuses to restore into a non-empty database unless forced", async () => {
    const place = ["--data", `${folder.path}/third`];
    expect((await tackle(["restore", archive, ...place])).code).toBe(0);
    const again = await tackle(["restore", archive, ...place]);
    expect(again.code).toBe(1);
    expect(again.said).toContain("--force");
    expect((await tackle(["restore", archive, "--force", ...place])).said).toContain("all hashes equal");
    expect((await tackle(["backup", archive, ...place])).said).toContain("exists. Choose");
  });

  it("changes nothing if the archive is damaged or truncated", async () => {
    const lines = gunzipSync(readFileSync(archive)).toString();
    const changed = lines.replace("What time is it in Paris?", "What time is it in Berlin");
    expect(changed).not.toBe(lines);
    const cut = lines.split("\n").slice(0, -3).join("\n");
    for (const [name, bytes] of [
      ["changed", gzipSync(changed)],
      ["cut", gzipSync(`${cut}\n`)],
      ["half", readFileSync(archive).subarray(0, 2_000)],
    ] as const) {
      writeFileSync(`${folder.path}/${name}`, bytes);
      const { code, said } = await tackle([
        "restore",
        `${folder.path}/${name}`,
        "--data",
        `${folder.path}/untouched`,
      ]);
      expect(code).toBe(2);
      expect(said).toContain("is damaged or incomplete");
    }
    expect(existsSync(`${folder.path}/untouched`)).toBe(false);
  });

  it("refuses to restore while a server is running", async () => {
    const server = await startServer(`${folder.path}/busy`);
    const { code, said } = await tackle(["restore", archive, "--force", "--data", server.dataDir]);
    expect(code).toBe(1);
    expect(said).toContain("is in use by process");
    await server.stop();
  });
});

describe.skipIf(!release)("PostgreSQL", () => {
  it("receives all data from tackle migrate, and its archive can be restored to SQLite", async () => {
    const url = cluster?.url ?? "";
    const source = `${folder.path}/source`;
    expect((await tackle(["restore", archive, "--data", source])).code).toBe(0);
    const migrated = await tackle(["migrate", "--to", url, "--data", source]);
    expect(migrated.said).toMatch(/^\d+ sessions, all hashes equal\./);
    expect(migrated.code).toBe(0);
    expect((await tackle(["migrate", "--to", url, "--data", source])).said).toContain("--force");
    const shared = { DATABASE_URL: url };
    const back = `${folder.path}/back.tackle`;
    expect((await tackle(["backup", back, "--data", source], shared)).code).toBe(0);
    const home = `${folder.path}/home`;
    expect((await tackle(["restore", back, "--data", home])).said).toContain("all hashes equal");

    const there = await readAsPerson(source, shared);
    expect(there.bytes).toBe("kept bytes ".repeat(50_000));
    const here = await readAsPerson(home);
    expect(here).toEqual(there);
    expect(withoutNul(here)).toEqual(withoutNul(await readFirst()));

    const forced = await tackle(["restore", archive, "--force", "--data", source], shared);
    expect(forced.said).toContain("all hashes equal");
  });
});

const missing = missingObjectStorage();
if (missing && !process.env.CI) console.log(`Archives and object storage are not tested: ${missing}.`);

describe.skipIf(missing !== undefined && !process.env.CI)("object storage", () => {
  it("receives files from the disk, and its files are included in the next archive", async () => {
    const storage = await startObjectStorage();
    try {
      const { endpoint, bucket, region, accessKeyId, secretAccessKey } = storage.options;
      const bucketSettings = {
        S3_ENDPOINT: endpoint,
        S3_BUCKET: bucket,
        S3_REGION: region,
        S3_ACCESS_KEY_ID: accessKeyId,
        S3_SECRET_ACCESS_KEY: secretAccessKey,
      };
      const place = ["--data", `${folder.path}/bucket`];
      expect((await tackle(["restore", archive, ...place], bucketSettings)).said).toContain("2 files.");
      expect((await readAsPerson(`${folder.path}/bucket`, bucketSettings)).bytes).toBe(
        "kept bytes ".repeat(50_000),
      );
      const next = await tackle(["backup", `${folder.path}/from-bucket`, ...place], bucketSettings);
      expect(next.said).toContain("3 files.");
    } finally {
      await storage.stop();
    }
  });
});
