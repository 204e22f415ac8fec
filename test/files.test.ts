import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingObjectStorage, startObjectStorage } from "../src/files/testing/object-storage.ts";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { pdfOf } from "../src/tools/builtin/web_fetch/testing/pdf.ts";
import { zipOf } from "../src/tools/builtin/web_fetch/testing/zip.ts";
import { bearer, call, signUp } from "./support/accounts.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
const HTML = "<!doctype html><title>mine</title><script>fetch('/me/settings')</script>";
const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><script>fetch("/me/settings")</script></svg>`;

interface Uploaded {
  fileId: string;
  url: string;
  mimeType: string;
  size: number;
  name: string;
}

const folder = temporaryFolder();
let server: ServerProcess;

beforeAll(async () => {
  server = await startServer(join(folder.path, "data"), {
    TACKLE_FILE_LIMIT_MB: "2",
    TACKLE_FILE_QUOTA_MB: "5",
  });
});
afterAll(async () => {
  await server?.stop();
  folder.remove();
});

function post(body: RequestInit["body"], headers: Record<string, string> = {}, path = "/files") {
  return fetch(server.url + path, { method: "POST", body, headers, duplex: "half" } as RequestInit);
}

async function upload(body: RequestInit["body"], headers: Record<string, string> = {}, path?: string) {
  const response = await post(body, headers, path);
  const text = await response.text();
  if (response.status !== 201) throw new Error(`${response.status}: ${text}`);
  return JSON.parse(text) as Uploaded;
}

const onDisk = () => readdirSync(join(folder.path, "data", "files"));

describe("an upload", () => {
  it("tells how many pages or rows a document has, and only the size of one that can't be counted", async () => {
    const named = (name: string) => `/files?name=${name}`;
    const table = Buffer.from(`city,note\n${'Oslo,"two\nlines"\n'.repeat(18_203)}`);
    expect(await upload(table, { "content-type": "text/csv" }, named("trips.csv"))).toMatchObject({
      rowCount: 18_204,
    });
    expect(await upload(pdfOf(["One", "Two", "Three", "Four"]), {}, named("a.pdf"))).toMatchObject({
      pageCount: 4,
    });
    // Whoever uploads many at once sees the pages of all.
    const files = Array.from({ length: 4 }, () => upload(pdfOf(["One", "Two"]), {}, named("many.pdf")));
    for (const file of await Promise.all(files)) expect(file).toMatchObject({ pageCount: 2 });
    const row = (value: string) => `<row><c>${value && `<v>${value}</v>`}</c></row>`;
    const sheet = (...values: string[]) =>
      `<worksheet><sheetData>${values.map(row).join("")}</sheetData></worksheet>`;
    const book = zipOf({
      "xl/worksheets/sheet1.xml": sheet("1", "2", ""),
      "xl/worksheets/sheet2.xml": sheet("3"),
    });
    expect(await upload(new Uint8Array(book), {}, named("b.xlsx"))).toMatchObject({ rowCount: 3 });
    for (const [bytes, name] of [
      ["%PDF-1.7 nothing more", "broken.pdf"],
      ["PK\x03\x04nothing more", "broken.xlsx"],
      ["a,b\n1,2\n", "table.txt"],
    ] as const) {
      const file = await upload(bytes, {}, named(name));
      expect(file).toMatchObject({ size: bytes.length });
      expect(file).not.toHaveProperty("pageCount");
      expect(file).not.toHaveProperty("rowCount");
    }
  });

  it("returns a signed address that works without a cookie", async () => {
    const file = await upload(PNG, { "content-type": "image/png" }, "/files?name=caf%C3%A9.png");
    expect(file).toMatchObject({ mimeType: "image/png", size: PNG.length, name: "café.png" });
    expect(file.url).toMatch(/^\/files\/file_[\w-]{22}\?exp=\d+&sig=[\w-]{43}$/);
    const expires = Number(new URL(server.url + file.url).searchParams.get("exp"));
    expect(Math.abs(expires - Date.now() / 1000 - 7 * 24 * 3_600)).toBeLessThan(60);
    const shown = await fetch(server.url + file.url);
    expect(shown.status).toBe(200);
    expect(Buffer.from(await shown.arrayBuffer()).equals(PNG)).toBe(true);
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      "content-type": "image/png",
      "content-length": String(PNG.length),
      "content-disposition": `inline; filename="caf_.png"; filename*=UTF-8''caf%C3%A9.png`,
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringContaining("sandbox"),
      "cache-control": "private, no-store",
      "accept-ranges": "bytes",
    });
    expect(shown.headers.has("set-cookie")).toBe(false);
  });

  it("can be a multipart form with other fields before and after the file", async () => {
    const form = new FormData();
    form.set("note", "first");
    form.set("file", new Blob([randomBytes(300_000)]), "data.bin");
    form.set("after", "last");
    const file = await upload(form);
    expect(file).toMatchObject({ name: "data.bin", size: 300_000, mimeType: "application/octet-stream" });
    const empty = new FormData();
    empty.set("note", "no file");
    expect((await post(empty)).status).toBe(400);
    const cut = await post('--x\r\ncontent-disposition: form-data; name=f; filename="a"\r\n\r\nabc', {
      "content-type": "multipart/form-data; boundary=x",
    });
    expect(cut.status).toBe(400);
    expect((await post("x", { "content-type": "multipart/form-data" })).status).toBe(400);
  });

  it("returns 413 if the file is too large, with or without a content length, and stores nothing", async () => {
    const before = onDisk();
    const large = Buffer.alloc(3 * 1024 * 1024, "x");
    const streamed = new Response(large).body;
    for (const body of [large, streamed]) {
      const refused = await post(body, { "content-type": "text/plain" });
      expect(refused.status).toBe(413);
      expect(await refused.json()).toMatchObject({
        code: "TOO_LARGE",
        error: expect.stringContaining("2 MB"),
      });
    }
    const form = new FormData();
    form.set("file", new Blob([large]), "large.txt");
    expect((await post(form)).status).toBe(413);
    expect(onDisk()).toEqual(before);
  });

  it("leaves nothing behind if the connection breaks", async () => {
    const before = onDisk();
    const { port } = new URL(server.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(`POST /files HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 1000000\r\n\r\n`);
    socket.write(Buffer.alloc(500_000, "x"));
    await expect.poll(() => onDisk().length).toBe(before.length + 1);
    socket.destroy();
    await expect.poll(() => onDisk()).toEqual(before);
  });

  it("returns 507 beyond the quota, and works again after a deletion", async () => {
    const alone = await startServer(join(folder.path, "quota"), { TACKLE_FILE_QUOTA_MB: "2" });
    try {
      const send = () => fetch(`${alone.url}/files`, { method: "POST", body: Buffer.alloc(900_000, "x") });
      const first = (await (await send()).json()) as Uploaded;
      expect((await send()).status).toBe(201);
      const full = await send();
      expect(full.status).toBe(507);
      expect(await full.json()).toMatchObject({ code: "STORAGE_FULL", retryable: false });
      const listed = await (await fetch(`${alone.url}/files`)).json();
      expect(listed).toMatchObject({ usedBytes: 1_800_000, quotaBytes: 2 * 1024 * 1024 });
      expect((await fetch(`${alone.url}/files/${first.fileId}`, { method: "DELETE" })).status).toBe(204);
      expect((await fetch(alone.url + first.url)).status).toBe(404);
      expect((await send()).status).toBe(201);
    } finally {
      await alone.stop();
    }
  });

  it("returns 507 on a full disk and leaves no partial file", async () => {
    const data = join(folder.path, "full");
    const files = join(data, "files");
    mkdirSync(files, { recursive: true });
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", files]).status === 0;
    if (!mounted && !process.env.CI) return console.log("A full disk is not tested: it takes a mount.");
    expect(mounted).toBe(true);
    const small = await startServer(data);
    try {
      const send = (size: number) => fetch(`${small.url}/files`, { method: "POST", body: randomBytes(size) });
      expect((await send(600_000)).status).toBe(201);
      const full = await send(600_000);
      expect(full.status).toBe(507);
      expect(await full.json()).toMatchObject({ code: "STORAGE_FULL" });
      expect(readdirSync(files)).toHaveLength(1);
      expect((await send(300_000)).status).toBe(201);
    } finally {
      await small.stop();
      spawnSync("umount", [files]);
    }
  });
});

describe("a signed address", () => {
  it("supports ranges, conditional requests and HEAD", async () => {
    const text = "0123456789".repeat(100);
    const { url, fileId } = await upload(text);
    const get = (headers: Record<string, string>, method = "GET") =>
      fetch(server.url + url, { method, headers });
    const part = await get({ range: "bytes=10-19" });
    expect([part.status, await part.text()]).toEqual([206, "0123456789"]);
    expect(part.headers.get("content-range")).toBe("bytes 10-19/1000");
    expect(await (await get({ range: "bytes=-5" })).text()).toBe("56789");
    expect(await (await get({ range: "bytes=995-" })).text()).toBe("56789");
    expect((await get({ range: "bytes=1000-" })).status).toBe(416);
    expect((await get({ range: "bytes=5-1" })).status).toBe(200);
    expect((await get({ range: "bytes=0-1", "if-range": '"other"' })).status).toBe(200);
    expect((await get({ "if-none-match": `"${fileId}"` })).status).toBe(304);
    const head = await get({}, "HEAD");
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "1000"]);
    expect(head.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  });

  it("is refused if forged, expired or for another path, without revealing whether the file exists", async () => {
    const { url, fileId } = await upload("mine");
    const { searchParams } = new URL(server.url + url);
    const sig = searchParams.get("sig") ?? "";
    const exp = searchParams.get("exp") ?? "";
    const paths = [
      `/files/${fileId}`,
      `/files/${fileId}?exp=${exp}`,
      `/files/${fileId}?exp=${Number(exp) + 1}&sig=${sig}`,
      `/files/${fileId}?exp=1&sig=${sig}`,
      `/files/${fileId}?exp=${exp}&sig=${"A".repeat(43)}`,
      `/files/file_AAAAAAAAAAAAAAAAAAAAAA?exp=${exp}&sig=${sig}`,
      `/files/..%2f..%2fsecret.key?exp=${exp}&sig=${sig}`,
      `/files/..%5c..%5csecret.key?exp=${exp}&sig=${sig}`,
      `/files/%00?exp=${exp}&sig=${sig}`,
      `/files/${fileId}%00.png?exp=${exp}&sig=${sig}`,
    ];
    for (const path of paths) {
      const answer = await fetch(server.url + path);
      expect([path, answer.status]).toEqual([path, 403]);
      expect(await answer.json()).toMatchObject({ code: "FORBIDDEN" });
    }
    expect((await fetch(server.url + url)).status).toBe(200);
  });

  it.each([
    ["HTML", HTML, "text/html"],
    ["HTML labeled as an image", HTML, "image/png"],
    ["SVG", SVG, "image/svg+xml"],
    ["SVG labeled as text", SVG, "text/plain"],
    ["unknown bytes", Buffer.from([0, 1, 2, 3]), "text/html"],
  ])("serves %s only as a download", async (_, body, type) => {
    const { url } = await upload(body, { "content-type": type }, "/files?name=page.html");
    const { headers } = await fetch(server.url + url);
    expect(headers.get("content-type")).toBe("application/octet-stream");
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="page.html"/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });
});

const missing = missingObjectStorage();
if (missing && !process.env.CI) console.log(`Files in object storage are not tested: ${missing}.`);

describe.skipIf(missing !== undefined && !process.env.CI)("in object storage", () => {
  it("files use the same addresses through the server, and none is stored on its disk", async () => {
    const storage = await startObjectStorage();
    const { endpoint, bucket, region, accessKeyId, secretAccessKey } = storage.options;
    const data = join(folder.path, "bucket");
    const remote = await startServer(data, {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_REGION: region,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    });
    try {
      const bytes = randomBytes(2_000_000);
      const sent = await fetch(`${remote.url}/files`, { method: "POST", body: bytes });
      const { url, fileId } = (await sent.json()) as Uploaded;
      const whole = await fetch(remote.url + url);
      expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
      expect(whole.headers.get("content-disposition")).toMatch(/^attachment/);
      const part = await fetch(remote.url + url, { headers: { range: "bytes=1000000-1000009" } });
      expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(1_000_000, 1_000_010));
      expect((await fetch(`${endpoint}/${bucket}/${fileId}`)).status).toBe(403);
      expect(readdirSync(join(data, "files"))).toEqual([]);
      expect((await fetch(`${remote.url}/files/${fileId}`, { method: "DELETE" })).status).toBe(204);
      expect((await fetch(remote.url + url)).status).toBe(404);
    } finally {
      await remote.stop();
      await storage.stop();
    }
  });
});

describe("the owner of a file", () => {
  let guarded: ServerProcess;
  beforeAll(async () => {
    guarded = await startServer(join(folder.path, "accounts"), { TACKLE_AUTH: "guest" });
  });
  afterAll(() => guarded?.stop());

  it("is the only user who may list, attach and delete it, and deleting the account deletes it", async () => {
    await signUp(guarded, "admin");
    const ada = await signUp(guarded, "ada");
    const bob = await signUp(guarded, "bob");
    const send = (headers: Record<string, string>) =>
      fetch(`${guarded.url}/files`, { method: "POST", body: PNG, headers });
    const file = (await (await send(bearer(ada.token))).json()) as Uploaded;
    const asBob = bearer(bob.token);
    expect(await (await call(guarded, "GET", "/files", asBob)).json()).toMatchObject({
      files: [],
      usedBytes: 0,
    });
    expect((await call(guarded, "DELETE", `/files/${file.fileId}`, asBob)).status).toBe(403);
    expect((await call(guarded, "DELETE", `/files/${file.fileId}`)).status).toBe(403);
    const attached = { message: "what is this?", attachments: [{ fileId: file.fileId }], stream: false };
    expect((await call(guarded, "POST", "/chat", asBob, attached)).status).toBe(403);
    const unknown = { ...attached, attachments: [{ fileId: "file_AAAAAAAAAAAAAAAAAAAAAA" }] };
    expect((await call(guarded, "POST", "/chat", asBob, unknown)).status).toBe(404);
    const edited = { prompt: "brighter", baseImage: file.fileId };
    expect((await call(guarded, "POST", "/tools/generate_image", asBob, edited)).status).toBe(403);
    expect((await fetch(guarded.url + file.url)).status).toBe(200);
    const left = await call(guarded, "DELETE", "/me", bearer(ada.token), {
      password: "correct horse battery",
    });
    expect(left.ok).toBe(true);
    expect((await fetch(guarded.url + file.url)).status).toBe(404);
    await expect.poll(() => readdirSync(join(folder.path, "accounts", "files"))).not.toContain(file.fileId);
  });

  it("can be a guest with a token, and guests of one IP address share a limit", async () => {
    const send = (headers: Record<string, string> = {}) =>
      fetch(`${guarded.url}/files`, { method: "POST", body: PNG, headers });
    const first = await send();
    expect(first.status).toBe(201);
    const guest = bearer(first.headers.get("x-tackle-guest") ?? "");
    const { files } = (await (await call(guarded, "GET", "/files", guest)).json()) as { files: Uploaded[] };
    expect(files).toHaveLength(1);
    const statuses = new Set<number>();
    for (let count = 0; count < 60; count++) statuses.add((await send()).status);
    expect([...statuses]).toEqual([201, 429]);
  });
});

describe.skipIf(!hasBrowser())("in a real browser", () => {
  it("files that may contain scripts are downloaded or blocked, and never run in our origin", async () => {
    const asked: string[] = [];
    const beacon = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end();
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => beacon.once("listening", resolve));
    const { port } = beacon.address() as AddressInfo;
    const script = `fetch("http://127.0.0.1:${port}/ran");new Image().src="http://127.0.0.1:${port}/drawn"`;
    const html = await upload(`<!doctype html><body onload='${script}'><script>${script}</script>`);
    const svg = await upload(
      `<svg xmlns="http://www.w3.org/2000/svg" onload='${script}'><script>${script}</script></svg>`,
    );
    const text = await upload(`hello <script>${script}</script>`);
    const png = await upload(PNG);
    const code = await upload(`${script}`, { "content-type": "text/javascript" });
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      for (const { url } of [html, svg]) {
        const saved = page.waitForEvent("download");
        await page.goto(server.url + url).catch(() => undefined); // Navigating to a download fails.
        expect((await saved).url()).toContain(url);
      }
      await page.goto(server.url + text.url);
      expect(await page.evaluate(() => document.body.textContent)).toContain("<script>");
      expect(await page.evaluate(() => self.origin)).toBe("null");
      await page.goto(server.url);
      const loads = (url: string, kind: "img" | "script") =>
        page.evaluate(
          ([address, tag]) =>
            new Promise<boolean>((resolve) => {
              const element = document.createElement(tag as "img");
              element.onload = () => resolve(true);
              element.onerror = () => resolve(false);
              element.src = address as string;
              document.body.append(element);
            }),
          [url, kind],
        );
      expect(await loads(png.url, "img")).toBe(true);
      expect(await loads(svg.url, "img")).toBe(false);
      expect(await loads(code.url, "script")).toBe(false);
      expect(asked).toEqual([]);
    } finally {
      await browser.close();
      beacon.close();
    }
  });
});
