import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { ask, bearer, call, signUp, type TestAccount } from "./support/accounts.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, firstEvent } from "./support/sse.ts";

const THOUGHTS =
  "The person wants a counter with one button. It starts at zero. It shows the number.\n\nNext, I choose its colors. ";
const WORKING =
  'import { useState } from "react";\nexport default function Counter() { const [n] = useState(1); return <p className="p-4">count {n}</p>; }\n';
const BROKEN = "export default function App() { return <p>{if}</p>; }";

interface Made {
  data: {
    artifactId: string;
    version: number;
    previewUrl: string;
    code: string;
    title: string;
    issues: { severity: string }[];
    usage?: object;
    reasoning?: string;
  };
  output: string;
}

interface Version {
  id: string;
  version: number;
  code: string;
  title: string;
  previewUrl: string;
}

const folder = temporaryFolder();
let upstream: Upstream;
let server: ServerProcess;
let owner: TestAccount;
let other: TestAccount;

beforeAll(async () => {
  upstream = await startUpstream();
  server = await startServer(join(folder.path, "data"), {
    ...modelAt(upstream.url),
    TACKLE_AUTH: "guest",
    TACKLE_LIMITS: JSON.stringify({ generate_artifact: { guest: 3, account: 1000 } }),
  });
  await signUp(server, "admin");
  owner = await signUp(server, "owner");
  other = await signUp(server, "other");
});

afterAll(async () => {
  await server.stop();
  await upstream.close();
  folder.remove();
});

const mine = () => bearer(owner.token);
const make = (body: object) => ask<Made>(server, "POST", "/tools/generate_artifact", mine(), body);
const status = async (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  (await call(server, method, path, headers, body)).status;

describe("generate_artifact", () => {
  it("creates an artifact from given code and repairs the code if needed", async () => {
    const { data, output } = await make({
      type: "react",
      code: WORKING.replace('import { useState } from "react";\n', ""),
    });
    expect(data).toMatchObject({ version: 1, title: "Counter", issues: [{ severity: "fixed" }] });
    expect(data.code).toContain('import { useState } from "react";');
    expect(output).toContain(data.artifactId);
    const stored = await ask<Version>(server, "GET", `/artifacts/${data.artifactId}`, mine());
    expect(stored).toMatchObject({
      id: data.artifactId,
      version: 1,
      code: data.code,
      previewUrl: data.previewUrl,
    });
  });

  it("streams an artifact from a model with phases and reasoning, and counts its usage", async () => {
    const code = `\`\`\`jsx\n${WORKING}\`\`\``;
    upstream.play(
      chatTurn({ calls: [{ name: "generate_artifact", arguments: { type: "react", prompt: "a counter" } }] }),
      chatTurn({ reasoning: THOUGHTS, text: code, chunkSize: 20 }),
      chatTurn({ text: "Done." }),
    );
    const events = await chat(server.url, { message: "make a counter" }, { headers: mine() });
    const complete = firstEvent(events, "artifact_complete");
    expect(complete).toMatchObject({
      version: 1,
      artifactType: "react",
      artifactTitle: "Counter",
      artifactCode: WORKING,
    });
    const deltas = events.flatMap((event) => (event.type === "artifact_delta" ? [event.delta] : []));
    expect(deltas.join("")).toMatch(/^import \{ useState/);
    expect(
      events.flatMap((event) => (event.type === "reasoning_status" ? [[event.phase, event.content]] : [])),
    ).toEqual([
      ["analyzing", expect.any(String)],
      ["planning", expect.any(String)],
      ["planning", "The person wants a counter with one button"],
      ["planning", "Next, I choose its colors"],
      ["implementing", expect.any(String)],
      ["styling", expect.any(String)],
      ["finalizing", expect.any(String)],
    ]);
    const shown = events.flatMap((event) =>
      event.type === "tool_progress" && event.phase === "reasoning" ? [event.chunk] : [],
    );
    expect(shown.join("")).toBe(THOUGHTS);
    expect(firstEvent(events, "tool_result")).toMatchObject({ success: true });
    const asked = upstream.requests.at(-2)?.body as { messages: { content: string }[] };
    expect(JSON.stringify(asked.messages[0])).toContain("No document structure");
    const { sessionId } = firstEvent(events, "session");
    expect(await ask<Version>(server, "GET", `/artifacts/${complete.artifactId}`, mine())).toMatchObject({
      sessionId,
    });
  });

  it("shows the model the current code for a revision, and keeps both versions", async () => {
    const { data } = await make({ type: "react", code: WORKING });
    upstream.play(chatTurn({ reasoning: THOUGHTS, text: WORKING.replace("count", "number") }));
    const revised = await make({ type: "react", prompt: "say number", artifactId: data.artifactId });
    expect(revised.data.reasoning).toBe(THOUGHTS);
    expect(revised.data).toMatchObject({ artifactId: data.artifactId, version: 2 });
    expect(revised.data.usage).toMatchObject({ inputTokens: expect.any(Number) });
    expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain("count {n}");
    const { diff } = await ask<{ diff: string }>(server, "GET", `/artifacts/${data.artifactId}/diff`, mine());
    expect(diff).toMatch(/^-.*count \{n\}.*$/m);
    expect(diff).toMatch(/^\+.*number \{n\}.*$/m);
  });

  it("sends code that cannot be repaired back to the model once, with the exact error", async () => {
    upstream.play(chatTurn({ text: BROKEN }), chatTurn({ text: WORKING }));
    const { data } = await make({ type: "react", prompt: "a counter" });
    expect(data.code).toBe(WORKING);
    expect(JSON.stringify(upstream.requests.at(-1)?.body)).toMatch(/This does not work.*Line 1/);
  });

  it("reports code that is still broken, and keeps it", async () => {
    upstream.play(chatTurn({ text: BROKEN }), chatTurn({ text: BROKEN }));
    const answer = await call(server, "POST", "/tools/generate_artifact", mine(), {
      type: "react",
      prompt: "x",
    });
    expect(answer.status).toBe(500);
    const { code, error, details } = (await answer.json()) as {
      code: string;
      error: string;
      details: { artifactId: string };
    };
    expect(code).toBe("TOOL_FAILED");
    expect(error).toMatch(/does not work: Line 1.*kept as version 1/);
    const kept = await ask<Version>(server, "GET", `/artifacts/${details.artifactId}`, mine());
    expect(kept.code).toContain("{if}");
    const page = await fetch(server.url + kept.previewUrl);
    expect(await page.text()).toContain("does not work");
  });

  it("refuses missing, oversized and unknown arguments", async () => {
    for (const body of [
      { type: "react" },
      { type: "pdf", code: "x" },
      { type: "svg", prompt: "x".repeat(10_001) },
      { type: "svg", code: "<svg/>", title: "x".repeat(101) },
      { type: "svg", code: "<svg/>", extra: 1 },
    ])
      expect(
        await status("POST", "/tools/generate_artifact", mine(), body),
        JSON.stringify(body).slice(0, 60),
      ).toBe(400);
  });

  it("counts against the caller's limit", async () => {
    const guest = (await call(server, "GET", "/tools")).headers.get("x-tackle-guest") ?? "";
    const body = { type: "markdown", code: "# hello" };
    const seen: number[] = [];
    for (let round = 0; round < 4; round++)
      seen.push(await status("POST", "/tools/generate_artifact", bearer(guest), body));
    expect(seen).toEqual([200, 200, 200, 429]);
  });
});

describe("artifact versions", () => {
  it("can be listed, edited with the same checks, compared and restored", async () => {
    const { data } = await make({ type: "react", code: WORKING, title: "Mine" });
    const path = `/artifacts/${data.artifactId}`;
    const edited = await ask<Version>(server, "POST", `${path}/versions`, mine(), {
      code: "function App() { return <b>mine</b>; }",
    });
    expect(edited).toMatchObject({ version: 2, title: "Mine" });
    expect(edited.code).toContain("export default App");
    const restored = await ask<Version>(server, "POST", `${path}/versions/1/restore`, mine(), {});
    expect(restored).toMatchObject({ version: 3, code: WORKING });
    const { versions } = await ask<{ versions: Version[] }>(server, "GET", `${path}/versions`, mine());
    expect(versions.map(({ version }) => version)).toEqual([1, 2, 3]);
    const { diff } = await ask<{ diff: string }>(server, "GET", `${path}/diff?from=1&to=3`, mine());
    expect(diff).not.toMatch(/^[+-][^+-]/m);
    const refused = await call(server, "POST", `${path}/versions`, mine(), { code: BROKEN });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      code: "INVALID_INPUT",
      details: { issues: [{ severity: "error", line: 1 }] },
    });
    expect(await status("POST", `${path}/versions/9/restore`, mine(), {})).toBe(404);
  });

  it("are hidden from other users, who cannot add versions either", async () => {
    const { data } = await make({ type: "react", code: WORKING });
    const path = `/artifacts/${data.artifactId}`;
    const theirs = bearer(other.token);
    for (const [method, address, body] of [
      ["GET", path, undefined],
      ["GET", `${path}/versions`, undefined],
      ["GET", `${path}/diff?from=1&to=1`, undefined],
      ["GET", `${path}/compiled`, undefined],
      ["GET", `${path}/preview`, undefined],
      ["POST", `${path}/versions`, { code: "x" }],
      ["POST", `${path}/versions/1/restore`, {}],
      ["POST", "/tools/generate_artifact", { type: "react", code: WORKING, artifactId: data.artifactId }],
    ] as const)
      expect(await status(method, address, theirs, body), `${method} ${address}`).toBe(403);
    expect(await status("GET", "/artifacts/art_nothing", mine())).toBe(404);
  });
});

describe("the preview", () => {
  it("is a page restricted by its headers, and readable only with its signed address", async () => {
    const { data } = await make({ type: "react", code: WORKING });
    const page = await fetch(server.url + data.previewUrl);
    expect(page.status).toBe(200);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("sandbox allow-scripts;");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`${server.url}/vendor/`);
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).not.toMatch(/script-src[^;]*('unsafe-inline'|'self'|'nonce-)|allow-same-origin/);
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    expect(page.headers.get("set-cookie")).toBeNull();
    const html = await page.text();
    const [prelude = ""] = /(?<=<script>)[\s\S]*?(?=<\/script>)/.exec(html) ?? [];
    expect(prelude).toContain("RTC");
    expect(policy).toContain(`'sha256-${createHash("sha256").update(prelude).digest("base64")}'`);
    expect(html).toContain(".p-4");
    for (const wrong of [
      data.previewUrl.replace(/.$/, "!"),
      data.previewUrl.replace("version=1", "version=2"),
      data.previewUrl.replace(/&key=.*/, "&key="),
    ])
      expect((await fetch(server.url + wrong)).status).toBe(404);
    const alone = await fetch(server.url + data.previewUrl.replace("/preview", "/view"));
    expect(alone.headers.get("content-security-policy")).toContain(`frame-src ${server.url}/artifacts/`);
  });

  it("imports immutable modules that any origin may read", async () => {
    const { data } = await make({ type: "react", code: WORKING });
    const html = await (await fetch(server.url + data.previewUrl)).text();
    const file = /\/vendor\/react-[A-Z0-9]+\.js/.exec(html)?.[0];
    const answer = await fetch(`${server.url}${file}`);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("cache-control")).toContain("immutable");
    expect(answer.headers.get("content-type")).toContain("text/javascript");
    for (const wrong of ["/vendor/manifest.json", "/vendor/..%2fpackage.json", "/vendor/nothing.js"])
      expect((await fetch(server.url + wrong)).status).toBe(404);
  });

  it("can be framed by the app's page, which can frame nothing else", async () => {
    const policy = (await fetch(server.url)).headers.get("content-security-policy");
    expect(policy).toContain(`frame-src ${server.url.replace("http://", "")}/artifacts/`);
  });
});

describe("POST /generate-artifact", () => {
  it("still works through the same tool and reports its deprecation", async () => {
    const answer = await call(server, "POST", "/generate-artifact", mine(), {
      type: "svg",
      code: '<svg viewBox="0 0 9 9"><circle r="4"></svg>',
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("deprecation")).toMatch(/^@\d+$/);
    expect(await answer.json()).toMatchObject({
      success: true,
      artifactType: "svg",
      version: 1,
      artifactCode: expect.stringContaining("<circle"),
    });
    const refused = await call(server, "POST", "/generate-artifact", mine(), { type: "svg" });
    expect(refused.status).toBe(400);
    expect(refused.headers.get("deprecation")).toBeTruthy();
  });
});
