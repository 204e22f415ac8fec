import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { ask, bearer, type Credentials, call, signUp, type TestAccount } from "./support/accounts.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, firstEvent } from "./support/sse.ts";

interface Link {
  id: string;
  url: string;
  token: string;
  messages: number;
  artifacts: number;
  keys: number;
  expiresAt: string;
  createdAt: string;
  outdated?: boolean;
}

const folder = temporaryFolder();
const KEY = ["sk-ant-api03-", "Q7".repeat(46), "-aB3dE5gH9AA"].join("");
let upstream: Upstream;
let server: ServerProcess;
let ada: TestAccount;
let mine: Credentials;

beforeAll(async () => {
  upstream = await startUpstream();
  server = await startServer(join(folder.path, "data"), {
    ...modelAt(upstream.url),
    TACKLE_AUTH: "required",
    TACKLE_SIGN_UP: "open",
    TACKLE_LIMITS: JSON.stringify({ api: { perMinute: 100_000 } }),
  });
  await signUp(server, "admin");
  ada = await signUp(server, "Ada");
  mine = bearer(ada.token);
});

afterAll(async () => {
  await server.stop();
  await upstream.close();
  folder.remove();
});

/** Asks one question. Returns the ids. */
async function converse(message: string, turns: Parameters<typeof chatTurn>[0][], more: object = {}) {
  for (const turn of turns) upstream.play(chatTurn(turn));
  const events = await chat(server.url, { message, ...more }, { headers: mine });
  const { sessionId, messageId } = firstEvent(events, "session");
  return { sessionId, messageId };
}

const share = (sessionId: string, body: object = {}) =>
  ask<Link>(server, "POST", `/sessions/${sessionId}/share`, mine, body);
const stranger = (path: string, headers: Credentials = {}) => fetch(server.url + path, { headers });
const copyBehind = async ({ token }: Link) =>
  (await stranger(`/s/${token}`, { accept: "application/json" })).json() as Promise<{
    by?: string;
    messages: { role: string; content: string; attachments?: { fileId: string }[]; state?: object }[];
  }>;

describe("a link to a conversation", () => {
  it("shows a frozen copy to readers without an account, on a server that requires accounts", async () => {
    const { sessionId } = await converse("Which is cheaper?", [{ text: "The **second** one." }]);
    const link = await share(sessionId);
    expect(link.url).toBe(`${server.url}/s/${link.token}`);
    expect(link.token).toMatch(/^[\w-]{32}$/);
    expect(Date.parse(link.expiresAt) - Date.parse(link.createdAt)).toBe(30 * 86_400_000);
    await converse("A later secret", [{ text: "Private." }], { sessionId });
    const page = await stranger(`/s/${link.token}`);
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain("Which is cheaper?");
    expect(html).toContain("The **second** one.");
    expect(html).not.toContain("later secret");
    expect(await copyBehind(link)).toMatchObject({
      by: "Ada",
      messages: [{ role: "user", content: "Which is cheaper?" }, { role: "assistant" }],
    });
    const { shares } = await ask<{ shares: Link[] }>(server, "GET", `/sessions/${sessionId}/share`, mine);
    expect(shares).toMatchObject([{ id: link.id, url: link.url, outdated: true }]);
    const updated = await ask<Link>(server, "PATCH", `/shares/${link.id}`, mine, { update: true, days: 7 });
    expect(updated).toMatchObject({ url: link.url, messages: 4 });
    expect(await (await stranger(`/s/${link.token}`)).text()).toContain("later secret");
  });

  it("is kept out of caches, search engines, frames and other sites", async () => {
    const { sessionId } = await converse("Hello", [{ text: "Hi." }]);
    const { token } = await share(sessionId);
    const { headers } = await stranger(`/s/${token}`);
    expect(headers.get("cache-control")).toContain("no-store");
    expect(headers.get("x-robots-tag")).toContain("noindex");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("set-cookie")).toBeNull();
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|connect-src|\*/);
  });

  it("ends at once when its owner stops sharing, and says the same as a link that never was", async () => {
    const { sessionId } = await converse("Hello", [{ text: "Hi." }]);
    const link = await share(sessionId);
    expect((await call(server, "DELETE", `/shares/${link.id}`, mine)).status).toBe(204);
    const never = "a".repeat(32);
    for (const accept of ["text/html", "application/json"]) {
      const [ended, unknown] = [
        await stranger(`/s/${link.token}`, { accept }),
        await stranger(`/s/${never}`, { accept }),
      ];
      expect([ended.status, unknown.status]).toEqual([404, 404]);
      const words = async (response: Response) => (await response.text()).replace(/"requestId":"[^"]*"/, "");
      expect(await words(ended)).toBe(await words(unknown));
    }
    expect((await call(server, "GET", `/shares/${link.id}`, mine)).status).toBe(404);
  });

  it("goes with its conversation, and is closed while its owner is suspended", async () => {
    const { sessionId } = await converse("Hello", [{ text: "Hi." }]);
    const link = await share(sessionId);
    const admin = await ask<{ token: string }>(
      server,
      "POST",
      "/auth/sign-in",
      {},
      {
        email: "admin@example.com",
        password: "correct horse battery",
      },
    );
    const suspend = (suspended: boolean) =>
      ask(server, "POST", `/admin/users/${ada.id}/suspend`, bearer(admin.token), { suspended });
    await suspend(true);
    expect((await stranger(`/s/${link.token}`)).status).toBe(404);
    await suspend(false);
    expect((await stranger(`/s/${link.token}`)).status).toBe(200);
    await ask(server, "DELETE", `/sessions/${sessionId}`, mine);
    expect((await stranger(`/s/${link.token}`)).status).toBe(404);
  });

  it("keeps steps and attached files back unless they were chosen", async () => {
    const upload = await fetch(`${server.url}/files?name=salaries.txt`, {
      method: "POST",
      headers: { ...mine, "content-type": "text/plain" },
      body: "Everybody earns much.",
    });
    const { fileId } = (await upload.json()) as { fileId: string };
    const { sessionId } = await converse(
      "What time is it?",
      [
        { calls: [{ name: "get_time", arguments: { timeZone: "Europe/Oslo" } }], reasoning: "Let me look." },
        { text: "Noon." },
      ],
      { attachments: [{ fileId }] },
    );
    const closed = await share(sessionId);
    const said = JSON.stringify(await copyBehind(closed));
    for (const word of ["get_time", "Europe/Oslo", "Let me look", "salaries", fileId, "costUsd", "sig="])
      expect(said).not.toContain(word);
    expect((await stranger(`/s/${closed.token}/files/${fileId}`)).status).toBe(404);
    const open = await share(sessionId, { steps: true, files: true });
    const told = JSON.stringify(await copyBehind(open));
    for (const word of ["get_time", "Europe/Oslo", "Let me look", "salaries.txt"])
      expect(told).toContain(word);
    const file = await stranger(`/s/${open.token}/files/${fileId}`);
    expect(await file.text()).toBe("Everybody earns much.");
    expect(file.headers.get("content-security-policy")).toContain("sandbox");
    await ask(server, "DELETE", `/shares/${open.id}`, mine);
    expect((await stranger(`/s/${open.token}/files/${fileId}`)).status).toBe(404);
  });

  it("hides what looks like a key, and says so", async () => {
    const { sessionId } = await converse(`My key is ${KEY}`, [{ text: `I see ${KEY}.` }]);
    const hidden = await share(sessionId);
    expect(hidden.keys).toBe(2);
    expect(await (await stranger(`/s/${hidden.token}`)).text()).not.toContain(KEY);
    const shown = await share(sessionId, { hideKeys: false });
    expect(await (await stranger(`/s/${shown.token}`)).text()).toContain(KEY);
  });

  it("cannot be broken out of by what was said", async () => {
    const hostile = `</script><script>alert(1)</script><!--<script> $& $1 \u2028 "quotes" </noscript><img src=x onerror=alert(1)>`;
    const { sessionId } = await converse(hostile, [{ text: hostile }]);
    await ask(server, "PATCH", `/sessions/${sessionId}`, mine, {
      title: "</title><script>alert(2)</script>",
    });
    const html = await (await stranger(`/s/${(await share(sessionId)).token}`)).text();
    expect(html).not.toMatch(/<script>alert|<img src=x|<\/title><script/);
    const data = /<script type="application\/json" id="copy">(.*?)<\/script>/s.exec(html)?.[1] ?? "";
    expect(JSON.parse(data).messages[0].content).toBe(hostile);
  });

  it("shows artifacts in their own frame, as they were", async () => {
    const artifact = { type: "html", title: "Budget", code: "<p>version one</p>" };
    const { sessionId } = await converse("Make a page", [
      { calls: [{ name: "generate_artifact", arguments: artifact }] },
      { text: "Here it is." },
    ]);
    const link = await share(sessionId);
    expect(link.artifacts).toBe(1);
    const address = /"previewUrl":"([^"]+)"/.exec(JSON.stringify(await copyBehind(link)))?.[1] ?? "";
    expect(address).toContain(`/s/${link.token}/artifacts/`);
    const frame = await stranger(address);
    expect(frame.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await frame.text()).toContain("version one");
    const alone = await fetch(server.url + address, {
      headers: { "sec-fetch-dest": "document" },
      redirect: "manual",
    });
    expect([alone.status, alone.headers.get("location")]).toEqual([302, `/s/${link.token}`]);
    await ask(server, "DELETE", `/shares/${link.id}`, mine);
    expect((await stranger(address)).status).toBe(404);
  });

  it("can be continued in a conversation of the reader's own, once they are signed in", async () => {
    const { sessionId } = await converse("Which is cheaper?", [{ text: "The second one." }]);
    const { token } = await share(sessionId);
    expect((await call(server, "POST", `/s/${token}/continue`)).status).toBe(401);
    const reader = bearer((await signUp(server, "reader")).token);
    const { id } = await ask<{ id: string }>(server, "POST", `/s/${token}/continue`, reader);
    const { messages } = await ask<{ messages: { content: string }[] }>(
      server,
      "GET",
      `/sessions/${id}/messages`,
      reader,
    );
    expect(messages.map(({ content }) => content)).toEqual(["Which is cheaper?", "The second one."]);
    expect((await call(server, "GET", `/sessions/${id}`, mine)).status).toBe(403);
  });

  it("is in the audit log, and its token is not in the database", async () => {
    const { sessionId } = await converse("Hello", [{ text: "Hi." }]);
    const { id, token } = await share(sessionId);
    await ask(server, "DELETE", `/shares/${id}`, mine);
    const admin = await ask<{ token: string }>(
      server,
      "POST",
      "/auth/sign-in",
      {},
      {
        email: "admin@example.com",
        password: "correct horse battery",
      },
    );
    const { entries } = await ask<{ entries: { action: string; subject: object }[] }>(
      server,
      "GET",
      "/admin/audit?action=session",
      bearer(admin.token),
    );
    expect(entries.slice(0, 2).map(({ action }) => action)).toEqual(["session.unshared", "session.shared"]);
    const stored = ["tackle.db", "tackle.db-wal"].map((name) => readFileSync(join(server.dataDir, name)));
    expect(stored.some((bytes) => bytes.includes(token))).toBe(false);
  });
});

describe("feedback", () => {
  it("is kept per message, changed, taken back, and counted for administrators", async () => {
    const { sessionId, messageId } = await converse("Hello", [{ text: "Hi." }]);
    const path = `/messages/${messageId}/feedback`;
    await ask(server, "POST", path, mine, { value: 1 });
    // Some programs escape what is not ASCII, so that a note is six times as long.
    const escaped = `{"value": 1, "note": "${"\\u754c".repeat(2_000)}"}`;
    const headers = { ...mine, "content-type": "application/json" };
    expect((await fetch(server.url + path, { method: "POST", headers, body: escaped })).status).toBe(200);
    await ask(server, "POST", path, mine, { value: -1, note: "Too short" });
    const admin = await ask<{ token: string }>(
      server,
      "POST",
      "/auth/sign-in",
      {},
      {
        email: "admin@example.com",
        password: "correct horse battery",
      },
    );
    const report = await ask(server, "GET", "/admin/feedback?days=7", bearer(admin.token));
    expect(report).toMatchObject({
      models: [{ model: "openai/gpt-4o", up: 0, down: 1 }],
      notes: [{ note: "Too short", user: "ada@example.com", messageId }],
    });
    expect((report.days as object[]).length).toBe(7);
    expect((report.days as object[]).at(-1)).toMatchObject({ up: 0, down: 1 });
    const hourly = await ask(server, "GET", "/admin/feedback?days=1&by=hour", bearer(admin.token));
    expect((hourly.hours as object[]).at(-1)).toMatchObject({ up: 0, down: 1 });
    const messages = async () =>
      (
        await ask<{ messages: { id: string; feedback?: object }[] }>(
          server,
          "GET",
          `/sessions/${sessionId}/messages`,
          mine,
        )
      ).messages;
    expect((await messages()).at(-1)?.feedback).toEqual({ value: -1, note: "Too short" });
    expect((await call(server, "DELETE", path, mine)).status).toBe(204);
    expect((await messages()).at(-1)?.feedback).toBeUndefined();
    const own = (await messages())[0]?.id;
    expect((await call(server, "POST", `/messages/${own}/feedback`, mine, { value: 1 })).status).toBe(400);
    expect((await call(server, "POST", path, mine, { value: 2 })).status).toBe(400);
    expect((await call(server, "GET", "/admin/feedback", mine)).status).toBe(403);
  });
});
