import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readProviders } from "../src/models/read-providers.ts";
import { AWKWARD_SCHEMAS } from "../src/models/wire/testing/awkward-schemas.ts";
import { isObject } from "../src/protocol/json.ts";
import { anthropicTurn } from "../src/sim/testing/anthropic-turn.ts";
import { geminiTurn } from "../src/sim/testing/gemini-turn.ts";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import { findProblems, type Vendor } from "../src/sim/testing/rules/find-problems.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn, jsonTurn, type ScriptedAnswer, type ScriptedCall } from "../src/sim/turns.ts";
import type { RecordedRequest, Upstream } from "../src/sim/upstream.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { eventsOf, postChat, readFrames } from "./support/sse.ts";

/** Arguments of a server or an API are always an object, and these are what its own schema allows. */
const shapes = AWKWARD_SCHEMAS.filter(
  ({ schema, args, name }) =>
    isObject(args) &&
    isObject(schema) &&
    !/boolean|contradict|mixed|great depth|names that vendors|thousands|other languages/.test(name),
);
const named = AWKWARD_SCHEMAS.find(({ name }) => name === "names that vendors refuse");
if (!named) throw new Error("no schema with awkward names");
shapes.push({ ...named, args: { ...(named.args as object), "a b": { "c/d": [{ "é@": 1 }] } } });
/** References in a document start at its top. */
const bodies = shapes.filter(({ schema }) => !JSON.stringify(schema).includes("$ref"));

const hostile = resolve(import.meta.dirname, "../src/tools/mcp/testing/hostile-server.mjs");
const providers = (await readProviders()).filter(({ id, models }) => id !== "demo" && models.length > 0);
const folder = temporaryFolder();
let upstream: Upstream;
let api: Upstream;
let server: ServerProcess;
let working = 0;

beforeAll(async () => {
  const dataDir = `${folder.path}/data`;
  mkdirSync(dataDir);
  api = await startUpstream({ respond: () => jsonTurn({ fine: true }) });
  upstream = await startUpstream();
  const tools = shapes.map(({ schema, name }, at) => ({
    name: `t${at}`,
    description: name,
    inputSchema: schema,
  }));
  writeFileSync(`${folder.path}/behavior.json`, JSON.stringify({ tools }));
  const effects = Object.fromEntries(tools.map(({ name }) => [name, "none"]));
  const odd = { command: "node", args: [hostile, `${folder.path}/behavior.json`], effects };
  writeFileSync(`${dataDir}/mcp.json`, JSON.stringify({ mcpServers: { odd } }));
  const paths = bodies.map(({ schema }, at) => [
    `/o${at}`,
    {
      post: {
        operationId: `o${at}`,
        parameters: [
          { name: "$filter", in: "query", required: true, schema: { type: "string" } },
          {
            name: "page[size]",
            in: "query",
            schema: { type: "integer", minimum: 0, exclusiveMinimum: true },
          },
        ],
        requestBody: { required: true, content: { "application/json": { schema } } },
      },
    },
  ]);
  const document = {
    openapi: "3.0.3",
    info: { title: "Odd", version: "1" },
    servers: [{ url: api.url }],
    paths: Object.fromEntries(paths),
  };
  writeFileSync(`${dataDir}/odd.json`, JSON.stringify(document));
  const safe = Object.fromEntries(bodies.map((_, at) => [`o${at}`, "none"]));
  writeFileSync(
    `${dataDir}/tools.json`,
    JSON.stringify([{ name: "api", openapi: "odd.json", effects: safe }]),
  );
  server = await startServer(dataDir, {
    ...Object.fromEntries(
      providers.flatMap(({ id, keySetting, baseUrlSetting }) => [
        [keySetting ?? "NO_KEY", "test-key"],
        [baseUrlSetting, `${upstream.url}/${id}`],
      ]),
    ),
    TACKLE_MAX_TOOL_CALLS: "200",
  });
  await vi.waitFor(async () => {
    const listed = await (await fetch(`${server.url}/tools`)).text();
    expect(listed).toContain(`"odd.t${shapes.length - 1}"`);
    expect(listed).toContain(`"api.o${bodies.length - 1}"`);
  });
});
afterAll(async () => {
  const all = (shapes.length + bodies.length) * providers.length;
  console.log(`awkward MCP and OpenAPI tools through a server: ${working} of ${all} calls work`);
  await server.stop();
  await upstream.close();
  await api.close();
  folder.remove();
});

/** The tools in a request with their schemas, whatever the dialect. */
function toolsIn({ body }: RecordedRequest): { name: string; schema: Record<string, unknown> }[] {
  const { tools = [] } = body as { tools?: Record<string, unknown>[] };
  return tools
    .flatMap((tool) => (tool.functionDeclarations as Record<string, unknown>[] | undefined) ?? [tool])
    .map((tool) => (isObject(tool.function) ? tool.function : tool))
    .map((tool) => ({
      name: String(tool.name),
      schema: (tool.parameters ?? tool.input_schema ?? tool.parametersJsonSchema) as Record<string, unknown>,
    }));
}

/** Does what a model does: writes values under the names that it was given, going by their descriptions. */
function inWords(value: unknown, schemas: Record<string, unknown>[]): unknown {
  const all = schemas.flatMap((one) => [
    one,
    ...((one.anyOf as Record<string, unknown>[] | undefined) ?? []),
  ]);
  const inside = (key: string) => all.flatMap((one) => (isObject(one[key]) ? [one[key]] : []));
  if (Array.isArray(value)) return value.map((one) => inWords(one, inside("items")));
  if (!isObject(value)) return value;
  const listed = inside("properties").flatMap(Object.entries) as [string, Record<string, unknown>][];
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const told = `the tool calls it ${JSON.stringify(key)}`;
      const found = listed.find(
        ([name, { description }]) => name === key || String(description).includes(told),
      );
      const name = found?.[0] ?? key;
      const below = listed.filter((entry) => entry[0] === name).map((entry) => entry[1]);
      return [name, inWords(one, below.length > 0 ? below : inside("additionalProperties"))];
    }),
  );
}

describe.each(providers)("$label", (provider) => {
  const [best] = provider.models;
  const model = `${provider.id}/${best?.name}`;
  const dialect =
    typeof provider.dialect === "string" ? provider.dialect : provider.dialect(best?.name ?? "");
  const turns: Record<string, (answer: ScriptedAnswer) => Turn> = {
    "openai-responses": responsesTurn,
    "anthropic-messages": anthropicTurn,
    gemini: geminiTurn,
  };
  const turn = turns[dialect] ?? chatTurn;

  it("is offered every tool, and each gets the arguments that its own schema asks for", async () => {
    const found: string[] = [];
    let calls: ScriptedCall[] | undefined;
    upstream.respond((request) => {
      if (request.method !== "POST") return jsonTurn({ error: { message: "not here" } }, 404);
      const problems = findProblems(provider.id as Vendor, request);
      found.push(...problems.map(({ rule, message }) => `${rule}: ${message}`));
      const [problem] = problems;
      if (problem) return jsonTurn(problem.errorBody, problem.status);
      if (calls) return turn({ text: "Done." });
      const tools = toolsIn(request);
      const call = (name: string, args: unknown): ScriptedCall => {
        const schema = tools.find((tool) => tool.name === name)?.schema ?? {};
        return { name, arguments: inWords(args, [schema]) };
      };
      calls = [
        ...shapes.map(({ args }, at) => call(`odd_t${at}`, args)),
        ...bodies.map(({ args }, at) =>
          call(`api_o${at}`, { $filter: "x eq 1", "page[size]": 2, body: args }),
        ),
      ];
      return turn({ calls });
    });
    api.requests.length = 0;
    const events = eventsOf(await readFrames(await postChat(server.url, { message: "Go.", model })));
    const results = events.filter((event) => event.type === "tool_result");
    const got = [
      ...shapes.map((_, at) => {
        const output = results.find(({ toolName }) => toolName === `odd.t${at}`)?.output ?? "";
        return /called t\d+ (.*)$/m.exec(output)?.[1] ?? output;
      }),
      ...bodies.map((_, at) => {
        const { path, body } = api.requests.find((one) => one.path.startsWith(`/o${at}?`)) ?? {};
        return path === `/o${at}?%24filter=x%20eq%201&page%5Bsize%5D=2` ? JSON.stringify(body) : path;
      }),
    ];
    const wanted = [...shapes, ...bodies].map(({ args }) => JSON.stringify(args));
    expect(found).toEqual([]);
    expect(got).toEqual(wanted);
    expect(events.filter(({ type }) => type === "warning" || type === "error")).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: "done", finishReason: "stop" });
    working += wanted.length;
  });
});

describe("a tool that the vendor refuses", () => {
  const tool = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });
  const refusal = jsonTurn(
    { error: { message: "Invalid schema for function 'mine': no.", param: "tools[1].function.parameters" } },
    400,
  );
  const warning = "The tool mine is not offered to this model: its vendor refused it";

  it.each([false, true])(
    "does not end a client's turn: a header names it, and the log (streaming: %s)",
    async (stream) => {
      // Each model has to refuse it once.
      const model = `deepseek/deepseek-${stream ? "next" : "other"}`;
      upstream.respond(({ body }) =>
        JSON.stringify(body).includes('"mine"') ? refusal : chatTurn({ text: "Hello." }),
      );
      const response = await fetch(`${server.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          model,
          stream,
          messages: [{ role: "user", content: "Hi" }],
          tools: [tool("other"), tool("mine")],
        }),
      });
      expect(response.status).toBe(200);
      expect(response.headers.get("x-tackle-warnings")).toContain(`TOOL_LEFT_OUT: ${warning}`);
      expect(await response.text()).toContain("Hello.");
      expect(server.output()).toContain(warning);
    },
  );
});

describe("a model that was shut down", () => {
  it.each([
    ["deepseek/deepseek-chat", "chat/completions", { messages: [{ role: "user", content: "Hi" }] }],
    ["deepseek-reasoner", "chat/completions", { messages: [{ role: "user", content: "Hi" }], stream: true }],
    ["deepseek/deepseek-chat", "responses", { input: "Hi" }],
  ])("is named in a header of its successor's answer: %s at %s", async (model, path, body) => {
    upstream.respond(() => chatTurn({ text: "Hello." }));
    const response = await fetch(`${server.url}/v1/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model, ...body }),
    });
    expect(await response.text()).toContain("Hello.");
    expect(response.headers.get("x-tackle-warnings")).toMatch(
      /^MODEL_RETIRED: deepseek\/deepseek-\w+ was shut down on 2026-07-24, so deepseek\/[\w-]+ answers instead\.$/,
    );
  });
});
