import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import type { Turn } from "../src/sim/turn.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { call } from "./support/accounts.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const KEY = "sk-or-v1-0123456789abcdef0123456789abcdef";
const whole = (text: string, more: Partial<Turn> = {}): Turn => ({
  contentType: "application/json",
  frames: [text],
  ...more,
});
const failing = (status: number, headers = {}) =>
  whole(`{"error":"${KEY} is wrong at /home/operator"}`, { status, headers });

/** The faults of an upstream response. `outage` faults mean that the service is down; three in a row open a breaker. */
const FAULTS: Record<string, { turn: () => Turn; statuses: number[]; outage?: boolean }> = {
  "a refusal (400)": { turn: () => failing(400), statuses: [400, 502] },
  "a wrong key (401)": { turn: () => failing(401), statuses: [403, 502] },
  "a limit (429)": { turn: () => failing(429, { "retry-after": "120" }), statuses: [502] },
  "an outage (503)": { turn: () => failing(503), statuses: [502], outage: true },
  silence: { turn: () => ({ frames: [], faults: { beforeHeaders: "silence" } }), statuses: [504] },
  "a truncated body": {
    turn: () => whole('{"results":[{"title":"Half an ans', { faults: { cutAfterBytes: 12 } }),
    statuses: [502],
    outage: true,
  },
  garbage: { turn: () => whole("\u0000\u0001 not what was asked for }{"), statuses: [502] },
  "another content type": {
    turn: () => ({ contentType: "application/zip", frames: ["PK\u0003\u0004"] }),
    statuses: [400, 502],
  },
  "50 MB": { turn: () => huge(), statuses: [413, 502, 504] },
};

/** A body so large that a bounded reader stops before its end. */
function huge(): Turn {
  return { contentType: "application/json", frames: Array.from({ length: 50 }, () => "x".repeat(1_048_576)) };
}

interface Asked {
  tool: string;
  args: Record<string, unknown>;
  /** Faults that do not apply to this tool, with the reason. */
  except?: Record<string, string>;
}

const readsAnyText = "any text is a page";
const TOOLS: Asked[] = [
  // It comes first: the other searches turn to it when they fail, until it is paused.
  { tool: "web_search_duckduckgo", args: { query: "lighthouses of northern Norway" } },
  { tool: "browser.search", args: { query: "lighthouses of northern Norway" } },
  { tool: "web_search_exa", args: { query: "lighthouses of northern Norway" } },
  { tool: "web_search_searxng", args: { query: "lighthouses of northern Norway" } },
  {
    tool: "web_fetch",
    args: { url: "http://127.0.0.1:PORT/page" },
    except: { garbage: readsAnyText, "50 MB": "what fits is read" },
  },
  { tool: "generate_image", args: { prompt: "a lighthouse" } },
  { tool: "generate_artifact", args: { type: "markdown", prompt: "a page about lighthouses" } },
  {
    tool: "pets.listPets",
    args: {},
    except: { garbage: "an API may answer any text", "another content type": "an API may answer anything" },
  },
];

const upstreams = new Map<string, Upstream>();
let fault = FAULTS.silence;

beforeAll(async () => {
  for (const { tool } of TOOLS) {
    const respond = ({ path }: { path: string }) =>
      path.endsWith("/models") ? whole('{"data":[]}') : (fault?.turn() ?? failing(500));
    upstreams.set(tool, await startUpstream({ respond }));
  }
});
afterAll(async () => {
  for (const upstream of upstreams.values()) await upstream.close();
});

const portOf = (tool: string) => new URL(upstreams.get(tool)?.url ?? "").port;

async function startFaulty(folder: string): Promise<ServerProcess> {
  const at = (tool: string) => `http://127.0.0.1:${portOf(tool)}`;
  writeFileSync(
    join(folder, "pets.json"),
    JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Pets", version: "1" },
      servers: [{ url: at("pets.listPets") }],
      paths: { "/pets": { get: { operationId: "listPets", responses: { 200: { description: "Pets" } } } } },
    }),
  );
  writeFileSync(join(folder, "tools.json"), JSON.stringify([{ name: "pets", openapi: "pets.json" }]));
  return startServer(folder, {
    TAVILY_API_KEY: KEY,
    TAVILY_BASE_URL: at("browser.search"),
    EXA_API_KEY: KEY,
    EXA_BASE_URL: at("web_search_exa"),
    SEARXNG_BASE_URL: at("web_search_searxng"),
    DUCKDUCKGO_BASE_URL: at("web_search_duckduckgo"),
    OPENROUTER_API_KEY: KEY,
    OPENROUTER_BASE_URL: `${at("generate_image")}/v1`,
    OPENAI_COMPATIBLE_API_KEY: KEY,
    OPENAI_COMPATIBLE_BASE_URL: `${at("generate_artifact")}/v1`,
    TACKLE_IMAGE_MODEL: "openrouter/google/gemini-3.1-flash-image",
    TACKLE_ARTIFACT_MODEL: "openai-compatible/writer",
    TACKLE_MODEL: "demo/demo",
    TACKLE_FETCH_ALLOW: `127.0.0.1:${portOf("web_fetch")}`,
    TACKLE_TOOL_TIMEOUT_MS: "2500",
    TACKLE_STREAM_IDLE_MS: "1500",
    TACKLE_MAX_RETRIES: "0",
  });
}

async function use(server: ServerProcess, { tool, args }: Asked) {
  const body = JSON.parse(JSON.stringify(args).replace("PORT", portOf(tool)));
  const response = await call(server, "POST", `/tools/${tool}`, {}, body);
  const text = await response.text();
  return { status: response.status, text, code: JSON.parse(text).code as string | undefined };
}

describe.each(Object.entries(FAULTS))("with %s upstream", (name, { statuses, outage }) => {
  const folder = temporaryFolder();
  let server: ServerProcess;
  beforeAll(async () => {
    fault = FAULTS[name];
    server = await startFaulty(folder.path);
  });
  afterAll(async () => {
    await server?.stop();
    folder.remove();
  });

  it.concurrent.each(TOOLS)("$tool reports a documented error and leaves nothing behind", async (asked) => {
    if (asked.except?.[name]) return;
    const answer = await use(server, asked);
    expect(statuses, answer.text).toContain(answer.status);
    expect(answer.code).toMatch(/^(UPSTREAM_|TOOL_|INVALID_INPUT|TOO_LARGE|FORBIDDEN)/);
    expect(answer.text).not.toContain(KEY);
    expect(answer.text).not.toContain(portOf(asked.tool));
    expect(answer.text).not.toContain("/home/operator");
    const requests = upstreams.get(asked.tool)?.requests ?? [];
    await Promise.all(requests.map(({ ended }) => ended));
    if (!outage) return;
    await use(server, asked);
    await use(server, asked);
    expect(await use(server, asked)).toMatchObject({ status: 503, code: "BREAKER_OPEN" });
  });

  it("the server stays healthy", async () => {
    expect((await call(server, "GET", "/readyz", {})).status).toBe(200);
    expect(server.output()).not.toContain(KEY);
  });
});
