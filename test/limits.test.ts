import { mkdirSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import {
  modelAt,
  type ServerProcess,
  startOwnServer,
  startServer,
  temporaryFolder,
} from "./support/server.ts";
import { chat, firstEvent } from "./support/sse.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** Creates a data directory with user tools. */
function dataDirWith(name: string, tools: Record<string, string>): string {
  const dataDir = `${folder.path}/${name}`;
  mkdirSync(`${dataDir}/tools`, { recursive: true });
  for (const [tool, fields] of Object.entries(tools)) {
    const text = `export default { name: "${tool}", description: "${tool}", effect: "none", ${fields} };\n`;
    writeFileSync(`${dataDir}/tools/${tool}.mjs`, text);
  }
  return dataDir;
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
  header(name: string): string | null;
}

async function callTool(
  { url }: ServerProcess,
  name: string,
  options: { args?: unknown; token?: string } = {},
): Promise<Answer> {
  const response = await fetch(`${url}/tools/${name}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    },
    body: JSON.stringify(options.args ?? {}),
  });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body, header: (header) => response.headers.get(header) };
}

const metricsOf = async ({ url }: ServerProcess) => (await fetch(`${url}/metrics`)).text();

describe("a user tool that fails", () => {
  const dataDir = () =>
    dataDirWith("failing", {
      flaky: 'run() { throw new Error("It broke."); }',
      steady: 'run: () => "fine"',
    });

  it("opens only its own breaker after three failures, for everyone, and across a restart", async () => {
    const directory = dataDir();
    let server = await startOwnServer(directory);
    try {
      for (let call = 0; call < 3; call++)
        expect(await callTool(server, "flaky")).toMatchObject({ status: 500, body: { code: "TOOL_FAILED" } });
      const refused = await callTool(server, "flaky");
      expect(refused).toMatchObject({ status: 503, body: { code: "BREAKER_OPEN", retryable: true } });
      expect(Number(refused.header("retry-after"))).toBeGreaterThan(0);
      expect(Number(refused.header("retry-after"))).toBeLessThanOrEqual(30);
      expect(await callTool(server, "steady")).toMatchObject({ status: 200, body: { output: "fine" } });

      const metrics = await metricsOf(server);
      expect(metrics).toContain('tackle_breaker_open{name="tool:flaky"} 1');
      expect(metrics).toContain(
        'tackle_tool_call_duration_seconds_count{tool="flaky",outcome="TOOL_FAILED"} 3',
      );
      expect(metrics).toContain('tackle_tool_refusals_total{tool="flaky",code="BREAKER_OPEN"} 1');
      expect(metrics).toContain('tackle_tool_call_duration_seconds_count{tool="steady",outcome="success"} 1');

      await server.kill();
      server = await startOwnServer(directory);
      expect(await callTool(server, "flaky")).toMatchObject({ status: 503, body: { code: "BREAKER_OPEN" } });
    } finally {
      await server.stop();
    }
  });
});

describe("guests with custom limits", () => {
  let server: ServerProcess;
  beforeAll(async () => {
    const tools = {
      look: 'limit: "web_fetch", run: () => "a page"',
      seek: 'limit: "search", run: () => "results"',
      seek_elsewhere: 'limit: "search", run: () => "other results"',
      draw: `limit: "generate_image", parameters: { type: "object", properties: { what: { type: "string" } },
        required: ["what"] }, run: () => "an image"`,
    };
    server = await startServer(dataDirWith("guests", tools), {
      TACKLE_AUTH: "guest",
      TACKLE_LIMITS: JSON.stringify({
        web_fetch: { guest: 2, account: 1 },
        search: { guest: 37, account: 1 },
        generate_image: { guest: 1, account: 1 },
      }),
    });
  });
  afterAll(() => server.stop());

  const newGuest = async () => {
    const response = await fetch(`${server.url}/tools`);
    return response.headers.get("x-tackle-guest") ?? "";
  };

  it("are told what is left, and at the limit exactly when to retry", async () => {
    const token = await newGuest();
    const first = await callTool(server, "look", { token });
    expect([first.status, first.body.output]).toEqual([200, "a page"]);
    expect(first.body).not.toHaveProperty("limit");
    expect([first.header("x-ratelimit-limit"), first.header("x-ratelimit-remaining")]).toEqual(["2", "1"]);
    const second = await callTool(server, "look", { token });
    expect([second.status, second.header("x-ratelimit-remaining")]).toEqual([200, "0"]);

    const refused = await callTool(server, "look", { token });
    expect(refused).toMatchObject({
      status: 429,
      body: {
        code: "RATE_LIMITED",
        error: expect.stringMatching(
          /^Rate limit exceeded for tool 'look': 2 per 5 hours\. Possible again at \d{4}-.*Z\.$/,
        ),
        limit: 2,
        remaining: 0,
        reset_at: expect.stringMatching(/Z$/),
        retryable: true,
      },
    });
    const resetAt = Date.parse(String(refused.body.reset_at)) / 1000;
    expect(Number(refused.header("x-ratelimit-reset"))).toBe(Math.ceil(resetAt));
    expect(Number(first.header("x-ratelimit-reset"))).toBe(Math.ceil(resetAt));
    const retryAfter = Number(refused.header("retry-after"));
    expect(retryAfter).toBeGreaterThan(17_900);
    expect(retryAfter).toBeLessThanOrEqual(18_000);
    expect(await callTool(server, "look", { token: await newGuest() })).toMatchObject({ status: 200 });
  });

  it("get exactly their limit when 200 calls arrive at once, with all search tools counted together", async () => {
    const token = await newGuest();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        callTool(server, index % 2 ? "seek" : "seek_elsewhere", { token }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(37);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(163);
    const metrics = await metricsOf(server);
    expect(metrics).toContain('tackle_limit_decisions_total{limit="search",decision="allowed"} 37');
    expect(metrics).toContain('tackle_limit_decisions_total{limit="search",decision="refused"} 163');
    expect(metrics).not.toContain("guest_");
  });

  it("cannot reset a limit by dropping their token, and are not charged for invalid calls", async () => {
    const invalid = await callTool(server, "draw");
    expect(invalid).toMatchObject({ status: 400, body: { code: "TOOL_INVALID_ARGUMENTS" } });
    expect(await callTool(server, "draw", { args: { what: "a cat" } })).toMatchObject({ status: 200 });
    const refused = await callTool(server, "draw", { args: { what: "a dog" } });
    expect(refused).toMatchObject({ status: 429, body: { code: "RATE_LIMITED", limit: 1, remaining: 0 } });
    expect(refused.header("x-ratelimit-limit")).toBe("1");
    expect(refused.header("x-tackle-guest")).toBeNull();
  });
});

it("does not limit the local owner, even if limits are configured", async () => {
  const dataDir = dataDirWith("owner", { look: 'limit: "web_fetch", run: () => "a page"' });
  const server = await startServer(dataDir, { TACKLE_LIMITS: '{"web_fetch":{"guest":0,"account":0}}' });
  try {
    for (let call = 0; call < 5; call++) {
      const answer = await callTool(server, "look");
      expect([answer.status, answer.header("x-ratelimit-limit")]).toEqual([200, null]);
    }
  } finally {
    await server.stop();
  }
});

it("applies one throttle to chats and all tools", async () => {
  const server = await startServer(`${folder.path}/throttled`, {
    TACKLE_LIMITS: '{"api":{"perMinute":3}}',
  });
  try {
    await chat(server.url, { message: "Hello" });
    for (let call = 0; call < 2; call++)
      expect(await callTool(server, "get_time")).toMatchObject({ status: 200 });
    const refused = await callTool(server, "get_time");
    expect(refused).toMatchObject({ status: 503, body: { code: "API_THROTTLED" } });
    expect(Number(refused.header("retry-after"))).toBeGreaterThan(0);
  } finally {
    await server.stop();
  }
});

it("keeps chat with a vendor available when its image requests fail", async () => {
  const upstream = await startUpstream({
    respond: ({ body }) =>
      (body as { model?: string }).model === "gpt-4o" ? chatTurn({ text: "Still here." }) : errorTurn(500),
  });
  const settings = { ...modelAt(upstream.url), TACKLE_IMAGE_MODEL: "openai/gpt-image-2" };
  const server = await startServer(`${folder.path}/images`, settings);
  const makeImage = () =>
    fetch(`${server.url}/tools/generate_image`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ prompt: "A boat" }),
    });
  try {
    for (let call = 1; call <= 3; call++) {
      const failed = await makeImage();
      expect(failed.status).toBe(502);
      expect(await failed.json()).toMatchObject({ details: { retryCount: 2 } });
      expect(upstream.requests).toHaveLength(3 * call); // The retries of a call count once.
    }
    const refused = await makeImage();
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
      503,
      "BREAKER_OPEN",
    ]);
    const events = await chat(server.url, { message: "Hello" });
    expect(firstEvent(events, "done").finishReason).toBe("stop");
    const metrics = await metricsOf(server);
    expect(metrics).toContain('tackle_breaker_open{name="model:openai/gpt-image-2:image"} 1');
    expect(metrics).not.toContain('tackle_breaker_open{name="model:openai/gpt-4o:chat"} 1');
  } finally {
    await server.stop();
    await upstream.close();
  }
});

it("stops calling a vendor that keeps failing, and tells the person at once when to retry", async () => {
  const upstream = await startUpstream({
    respond: () => ({
      status: 500,
      contentType: "application/json",
      frames: ['{"error":{"message":"No."}}'],
    }),
  });
  const settings = { ...modelAt(upstream.url), TACKLE_MAX_RETRIES: "0" };
  const server = await startServer(`${folder.path}/vendor`, settings);
  try {
    for (let turn = 0; turn < 3; turn++) {
      const events = await chat(server.url, { message: "Hello" });
      expect(firstEvent(events, "error").code).toBe("UPSTREAM_ERROR");
    }
    const asked = upstream.requests.length;
    upstream.respond(() => chatTurn({ text: "Here again." }));
    const events = await chat(server.url, { message: "Hello" });
    const error = firstEvent(events, "error");
    expect(error).toMatchObject({ code: "BREAKER_OPEN", retryable: true });
    expect(error.retryAfter).toBeLessThanOrEqual(30);
    expect(events.some(({ type }) => type === "retry_status")).toBe(false);
    expect(upstream.requests.length).toBe(asked);
    expect(await metricsOf(server)).toContain('tackle_breaker_open{name="model:openai/gpt-4o:chat"} 1');
  } finally {
    await server.stop();
    await upstream.close();
  }
});

it("refuses a person over the cost limit before the next model request", async () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 0 };
  const upstream = await startUpstream({ respond: () => chatTurn({ text: "Here.", usage }) });
  const server = await startServer(`${folder.path}/money`, {
    ...modelAt(upstream.url),
    TACKLE_AUTH: "guest",
    TACKLE_PRICES: '{"openai/gpt-4o":{"input":1,"output":1}}',
    TACKLE_LIMITS: '{"costUsd":{"guest":1.5,"account":9}}',
  });
  const chatAs = async (token: string) => {
    const headers = {
      "content-type": "application/json",
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const body = JSON.stringify({ message: "Hello", stream: false });
    const response = await fetch(`${server.url}/chat`, { method: "POST", headers, body });
    const answer = (await response.json()) as { content: string; finishReason: string };
    return { ...answer, token: token || (response.headers.get("x-tackle-guest") ?? "") };
  };
  try {
    const first = await chatAs("");
    const second = await chatAs(first.token);
    expect([first.finishReason, second.finishReason]).toEqual(["stop", "stop"]);
    const third = await chatAs(first.token);
    expect(third.finishReason).toBe("length");
    expect(third.content).toContain("the limit of what one person in 5 hours may cost");
    expect(upstream.requests).toHaveLength(2);
  } finally {
    await server.stop();
    await upstream.close();
  }
});
