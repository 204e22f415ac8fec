import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { madeUp } from "../src/guard/redact/testing/made-up.ts";
import { ownKeys } from "../src/guard/redact/testing/secrets.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import {
  modelAt,
  type ServerProcess,
  startOwnServer,
  startServer,
  temporaryFolder,
} from "./support/server.ts";
import { chat, firstEvent } from "./support/sse.ts";

const folder = temporaryFolder();
const workspace = temporaryFolder();
const made = madeUp(99);
const keys = ownKeys(made);
const password = `${made.mixed(12)}7`;
/** A configured key that looks like plain words. It can only be recognized because it is configured. */
const plainKey = "hummingbird-tree-on-the-hill";
const leaky = `They say ${plainKey}.\n`.concat(
  `${keys.map((key, at) => `KEY_${at}=${key}`).join("\n")}\nDB_PASSWORD=${password}\n`,
);
const secrets = [...keys.map((key) => key.slice(8)), password, plainKey];

let upstream: Upstream;
let server: ServerProcess;

beforeAll(async () => {
  upstream = await startUpstream();
  writeFileSync(join(workspace.path, ".env"), leaky);
  const allow = { tool: "execute_command", match: { command: "^cat " }, action: "allow" };
  writeFileSync(join(folder.path, "policy.json"), JSON.stringify({ rules: [allow] }));
  server = await startServer(folder.path, {
    ...modelAt(upstream.url),
    TACKLE_ROOTS: workspace.path,
    EXA_API_KEY: plainKey,
  });
});
afterAll(async () => {
  await server.stop();
  await upstream.close();
  folder.remove();
  workspace.remove();
});

function expectNone(text: string): void {
  for (const secret of secrets) expect(text).not.toContain(secret);
}

describe("a file with keys of every provider", () => {
  it("never shows them to the model, to followers or in storage", async () => {
    upstream.play(
      chatTurn({
        calls: [{ name: "filesystem", arguments: JSON.stringify({ operation: "read", path: ".env" }) }],
      }),
      chatTurn({ text: "Done." }),
    );
    const events = await chat(server.url, { message: "Read .env" });
    expect(firstEvent(events, "tool_result")).toMatchObject({ success: true });
    expect(firstEvent(events, "tool_result").output).toContain("DB_PASSWORD=[secret hidden]");
    expectNone(JSON.stringify(events));
    expectNone(JSON.stringify(upstream.requests.map(({ body }) => body)));
    const { sessionId } = firstEvent(events, "session");
    expectNone(await (await fetch(`${server.url}/sessions/${sessionId}/messages`)).text());
    expectNone(await (await fetch(`${server.url}/sessions/${sessionId}/export?format=md`)).text());
  });

  it("never shows them in a command's output, also while it runs", async ({ skip }) => {
    const { tools } = (await (await fetch(`${server.url}/tools`)).json()) as { tools: { name: string }[] };
    if (!tools.some(({ name }) => name === "execute_command")) {
      if (process.env.CI) throw new Error("commands cannot be confined here");
      skip("commands cannot be confined here");
    }
    upstream.play(
      chatTurn({ calls: [{ name: "execute_command", arguments: JSON.stringify({ command: "cat .env" }) }] }),
      chatTurn({ text: "Done." }),
    );
    const events = await chat(server.url, { message: "Show .env" });
    const chunks = events.flatMap((event) => (event.type === "tool_progress" ? [event.chunk ?? ""] : []));
    expect(chunks.join("")).toContain("DB_PASSWORD=[secret hidden]");
    expect(firstEvent(events, "tool_result").output).toContain("[key hidden]");
    expectNone(JSON.stringify(events));
  });

  it("never shows them to a direct call or over MCP", async () => {
    const direct = await post("/tools/filesystem", { operation: "read", path: ".env" });
    expect(direct).toContain("[key hidden]");
    expectNone(direct);
    const mcp = await post("/mcp", {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "filesystem", arguments: { operation: "read", path: ".env" } },
    });
    expect(mcp).toContain("[key hidden]");
    expectNone(mcp);
  });
});

describe("an upstream that repeats the key it was sent", () => {
  it("cannot expose it in any dialect or in the log", async () => {
    let asked = 0;
    const echo = createServer(({ method }, response) => {
      // The first error of a turn is retried, and the retry event is checked too.
      if (method === "POST") asked++;
      response.writeHead(asked === 1 ? 500 : 401, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ error: { message: `Incorrect API key provided: ${leaky} of jane@example.com` } }),
      );
    });
    await new Promise<void>((listening) => echo.listen(0, "127.0.0.1", listening));
    const { port } = echo.address() as AddressInfo;
    const data = temporaryFolder();
    const [, , key = ""] = keys;
    const other = await startServer(data.path, {
      OPENAI_API_KEY: key,
      EXA_API_KEY: plainKey,
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      TACKLE_MODEL: "openai/gpt-4o",
      TACKLE_LOG: "debug",
    });
    try {
      const own = await fetch(`${other.url}/chat`, json({ message: "Hello" })).then((answer) =>
        answer.text(),
      );
      const dialect = await fetch(
        `${other.url}/v1/chat/completions`,
        json({ model: "openai/gpt-4o", messages: [{ role: "user", content: "Hello" }] }),
      ).then((answer) => answer.text());
      for (const text of [own, dialect, other.output()]) {
        expectNone(text);
        expect(text).not.toContain("jane@example.com");
      }
      expect(own).toMatch(/"type":"retry_status"/);
      expect(own).toMatch(/"type":"error"/);
    } finally {
      await other.stop();
      echo.close();
      data.remove();
    }
  });
});

describe("a user tool with an unhandled error", () => {
  const [key = ""] = keys;
  const late = (name: string, how: string) =>
    `export default { name: "${name}", description: "Fails late.", effect: "none", parameters: { type: "object" },
      run: () => { ${how}; return "done"; } };`;
  const thrown = `new Error("refused for ${key} in /home/jane/x.ts")`;

  it("is logged without secrets and stack traces, and ends the server only if necessary", async () => {
    const data = temporaryFolder();
    mkdirSync(join(data.path, "tools"));
    writeFileSync(join(data.path, "tools", "rejects.mjs"), late("rejects", `Promise.reject(${thrown})`));
    writeFileSync(
      join(data.path, "tools", "throws.mjs"),
      late("throws", `setTimeout(() => { throw ${thrown}; }, 0)`),
    );
    // Nothing says that this one is the tool's.
    const unplaced = `Object.assign(${thrown}, { stack: "" })`;
    writeFileSync(
      join(data.path, "tools", "unplaced.mjs"),
      late("unplaced", `setTimeout(() => { throw ${unplaced}; }, 0)`),
    );
    const own = await startOwnServer(data.path, { TACKLE_LOG: "debug" });
    try {
      expect((await fetch(`${own.url}/tools/rejects`, json({}))).status).toBe(200);
      expect((await fetch(`${own.url}/tools/throws`, json({}))).status).toBe(200);
      const messages = () => own.output().split("refused for [key]").length - 1;
      await expect.poll(messages).toBe(2);
      expect((await fetch(`${own.url}/healthz`)).status).toBe(200);
      const exited = new Promise((exit) => own.child.once("exit", exit));
      await fetch(`${own.url}/tools/unplaced`, json({})).catch(() => undefined);
      expect(await exited).toBe(1);
      expect(messages()).toBe(3);
      expect(own.output()).not.toMatch(/\/home\/jane|\n\s+at /);
      expectNone(own.output());
    } finally {
      await own.kill();
      data.remove();
    }
  });
});

function json(body: unknown): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify(body),
  };
}

async function post(path: string, body: unknown): Promise<string> {
  return (await fetch(server.url + path, json(body))).text();
}
