import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import type { RecordedRequest, Upstream } from "../src/sim/upstream.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";
import { startServer, temporaryFolder } from "./support/server.ts";

type Json = Record<string, unknown>;

const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const look = { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } };
const user = { role: "user", content: "Go" };

/** A server with a vendor that knows more fields than OpenAI, and OpenAI itself. Both take everything. */
let compatible: Upstream;
let openai: Upstream;
let url: string;
let queue: Turn[] = [];
const folder = temporaryFolder();
let stop: () => Promise<unknown>;
beforeAll(async () => {
  // Our server may request the list of models at any time.
  const respond = ({ method }: RecordedRequest) =>
    (method === "GET" ? undefined : queue.shift()) ?? errorTurn(404);
  compatible = await startUpstream({ rules: "off", respond });
  openai = await startUpstream({ rules: "off", respond });
  const server = await startServer(folder.path, {
    OPENAI_COMPATIBLE_BASE_URL: `${compatible.url}/v1`,
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: `${openai.url}/v1`,
    TACKLE_MAX_RETRIES: "0",
  });
  url = server.url;
  stop = () => server.stop();
});
afterAll(async () => {
  await stop?.();
  await compatible?.close();
  await openai?.close();
  folder.remove();
});

async function post(path: string, body: object): Promise<{ status: number; warnings: string; body: Json }> {
  const response = await fetch(`${url}/v1/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const warnings = response.headers.get("x-tackle-warnings") ?? "";
  return { status: response.status, warnings, body: (await response.json()) as Json };
}

const sentTo = (upstream: Upstream) =>
  upstream.requests.findLast(({ method }) => method === "POST")?.body as Json;
const chat = (body: object, ...turns: Turn[]) => {
  queue = turns.length > 0 ? turns : [chatTurn({ text: "Fine." })];
  return post("chat/completions", { model: "openai-compatible/m", messages: [user], ...body });
};
const respond = (body: object, ...turns: Turn[]) => {
  queue = turns.length > 0 ? turns : [responsesTurn({ text: "Fine." })];
  return post("responses", { model: "openai/gpt-5.5", input: "Go", ...body });
};

describe("fields that we do not know", () => {
  const fields = {
    top_k: 4,
    min_p: 0.1,
    chat_template_kwargs: { enable_thinking: false },
    reasoning: { effort: "high" },
    provider: { order: ["a"] },
    thinking: { type: "disabled" },
    logprobs: true,
    top_logprobs: 2,
    logit_bias: { 5: 1 },
    service_tier: "flex",
    prompt_cache_key: "mine",
    user: "ada",
    num_ctx: 8192,
  };

  it("reach a vendor of Chat Completions as they are", async () => {
    expect(await chat(fields)).toMatchObject({ status: 200, warnings: "" });
    expect(sentTo(compatible)).toMatchObject(fields);
  });

  it("include the temperature, which a model that can reason takes as long as it does not", async () => {
    const varied = { temperature: 0.2, top_p: 0.9 };
    await respond({ ...varied, reasoning: { effort: "none" } });
    expect(sentTo(openai)).toMatchObject({ ...varied, reasoning: { effort: "none" } });
    queue = [responsesTurn({ text: "Fine." })];
    const asked = { model: "openai/gpt-5.5", messages: [user], ...varied, reasoning_effort: "none" };
    await post("chat/completions", asked);
    expect(sentTo(openai)).toMatchObject(varied);
    await respond({ ...varied, reasoning: { effort: "low" } });
    expect(Object.keys(sentTo(openai))).not.toContain("temperature");
  });

  it("name a prompt that OpenAI keeps, which other vendors answer without, and which does not replace the input", async () => {
    const prompt = { id: "pmpt_1", version: "2", variables: { city: "Rome" } };
    expect(await respond({ prompt })).toMatchObject({ status: 200, warnings: "" });
    expect(sentTo(openai)).toMatchObject({ prompt });
    const away = await respond({ model: "openai-compatible/m", prompt }, chatTurn({ text: "Fine." }));
    expect(away).toMatchObject({
      status: 200,
      warnings: expect.stringContaining("stored prompt is left out"),
    });
    expect(Object.keys(sentTo(compatible))).not.toContain("prompt");
    expect(await respond({ prompt, input: undefined })).toMatchObject({
      status: 400,
      body: { error: { param: "prompt", code: "unsupported_parameter" } },
    });
  });

  it("are no error elsewhere, where only what both dialects have is passed on", async () => {
    queue = [responsesTurn({ text: "Fine." })];
    const answer = await post("chat/completions", { model: "openai/gpt-5.5", messages: [user], ...fields });
    expect(answer.status).toBe(200);
    const sent = sentTo(openai);
    expect(sent).toMatchObject({ prompt_cache_key: "mine", service_tier: "flex", user: "ada" });
    expect(sent).toMatchObject({ reasoning: { effort: "high" } });
    expect(Object.keys(sent)).not.toContain("top_k");
  });

  it.each([
    [{ reasoning: { effort: "low", exclude: true } }, "low"],
    [{ reasoning: { max_tokens: 8_000 } }, "medium"],
    [{ reasoning: { enabled: false } }, "none"],
    [{ thinking: { type: "enabled", budget_tokens: 2_000 } }, "low"],
    [{ thinking: { type: "disabled" } }, "none"],
    [{ enable_thinking: false }, "none"],
    [{ thinking: { type: "disabled" }, reasoning_effort: "high" }, "high"],
    [{ thinking: { type: "enabled" }, reasoning: { enabled: true } }, undefined],
  ])("say how much to think, in whatever words: %o", async (said, effort) => {
    queue = [responsesTurn({ text: "Fine." })];
    await post("chat/completions", { model: "openai/gpt-5.5", messages: [user], ...said });
    expect((sentTo(openai).reasoning as Json).effort).toBe(effort);
  });

  it("reach OpenAI from a response, and other vendors as far as they may know them", async () => {
    const given = { client_metadata: { a: "b" }, truncation: "auto", top_k: 3 };
    expect((await respond(given)).status).toBe(200);
    expect(sentTo(openai)).toMatchObject(given);
    await respond({ ...given, model: "openai-compatible/m" }, chatTurn({ text: "Fine." }));
    expect(sentTo(compatible)).toMatchObject({ top_k: 3 });
    expect(Object.keys(sentTo(compatible))).not.toContain("client_metadata");
  });

  it("are left out with a warning if the vendor refuses the request", async () => {
    const refusal = errorTurn(400, { message: "Something in this is not right." });
    const answer = await chat({ top_k: 4, frobnicate: 1 }, refusal, chatTurn({ text: "Fine." }));
    expect(answer).toMatchObject({ status: 200, warnings: expect.stringContaining("top_k, frobnicate") });
    expect(Object.keys(sentTo(compatible))).not.toContain("top_k");
  });

  it("don't hide that the history is too long", async () => {
    const count = compatible.requests.length;
    const tooLong = errorTurn(400, {
      message: "maximum context length is 10",
      code: "context_length_exceeded",
    });
    const answer = await chat({ top_k: 4 }, tooLong);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: "context_length_exceeded", param: "messages" } },
    });
    expect(compatible.requests.length).toBe(count + 1);
    expect(await respond({}, tooLong)).toMatchObject({
      status: 400,
      body: { error: { code: "context_length_exceeded", param: "input" } },
    });
  });
});

describe("messages", () => {
  it("keep their names and their reasoning for vendors that take them", async () => {
    const said = { role: "assistant", content: "Hm.", reasoning_content: "I think." };
    await chat({ messages: [{ ...user, name: "ada" }, said, user] });
    expect(sentTo(compatible).messages).toMatchObject([{ name: "ada" }, said, user]);
  });

  it("are sent again without names to a vendor that refuses them", async () => {
    const refusal = errorTurn(422, { message: "messages.0.name: Extra inputs are not permitted" });
    const answer = await chat({ messages: [{ ...user, name: "ada" }] }, refusal, chatTurn({ text: "Fine." }));
    expect(answer.status).toBe(200);
    expect(sentTo(compatible).messages).toEqual([user]);
  });

  it("of tools can hold images, which the model sees", async () => {
    const called = [{ id: "call_a", type: "function", function: { name: "look", arguments: "{}" } }];
    const content = [
      { type: "text", text: "a <dot> &" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${DOT}` } },
    ];
    const result = { role: "tool", tool_call_id: "call_a", content };
    await chat({ messages: [user, { role: "assistant", tool_calls: called }, result] });
    const [, , told, shown] = sentTo(compatible).messages as Json[];
    expect(told).toEqual({ role: "tool", tool_call_id: "call_a", content: "a <dot> &" });
    expect(JSON.stringify(shown)).toContain(DOT);
    const call = { type: "function_call", call_id: "call_a", name: "look", arguments: "{}" };
    const image = { type: "input_image", image_url: `data:image/png;base64,${DOT}` };
    const output = [{ type: "input_text", text: "a <dot> &" }, image];
    await respond({ input: [user, call, { type: "function_call_output", call_id: "call_a", output }] });
    expect((sentTo(openai).input as Json[]).at(-1)).toMatchObject({ output });
  });
});

describe("tools of other types", () => {
  const hosted = { type: "code_interpreter", container: { type: "auto" } };

  it("are passed on to vendors of the same dialect", async () => {
    expect(await respond({ tools: [hosted, { type: "function", ...look }] })).toMatchObject({ warnings: "" });
    expect(sentTo(openai).tools).toEqual([expect.objectContaining({ name: "look" }), hosted]);
    const search = { type: "retrieval", retrieval: { id: "a" } };
    await chat({ tools: [search] });
    expect(sentTo(compatible).tools).toEqual([search]);
  });

  it("are left out with a warning elsewhere, and where the vendor refuses them", async () => {
    const away = await respond(
      { model: "openai-compatible/m", tools: [hosted] },
      chatTurn({ text: "Fine." }),
    );
    expect(away).toMatchObject({ status: 200, warnings: expect.stringContaining("code_interpreter") });
    expect(Object.keys(sentTo(compatible))).not.toContain("tools");
    const refusal = errorTurn(400, {
      message: "Hosted tool 'code_interpreter' is not supported with gpt-5.5.",
    });
    const refused = await respond({ tools: [hosted] }, refusal, responsesTurn({ text: "Fine." }));
    expect(refused).toMatchObject({ status: 200, warnings: expect.stringContaining("code_interpreter") });
    const computer = {
      type: "computer_use_preview",
      display_width: 1,
      display_height: 1,
      environment: "mac",
    };
    expect(await respond({ tools: [computer] })).toMatchObject({
      status: 200,
      warnings: expect.stringContaining("computer_use_preview"),
    });
  });

  it("may be 512", async () => {
    const tools = Array.from({ length: 512 }, (_, index) => ({
      type: "function",
      function: { ...look, name: `look_${index}` },
    }));
    expect((await chat({ tools })).status).toBe(200);
    expect(sentTo(compatible).tools).toHaveLength(512);
  });

  it("can be allowed without being all that is offered", async () => {
    const tools = ["a", "b", "c"].map((name) => ({ type: "function", ...look, name }));
    const allowed = [
      { type: "function", name: "a" },
      { type: "function", name: "c" },
    ];
    await respond({ tools, tool_choice: { type: "allowed_tools", mode: "required", tools: allowed } });
    expect(sentTo(openai)).toMatchObject({ tools: [{ name: "a" }, { name: "c" }], tool_choice: "required" });
    const nested = tools.map(({ type, ...fn }) => ({ type, function: fn }));
    const choice = {
      type: "allowed_tools",
      allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "b" } }] },
    };
    await chat({ tools: nested, tool_choice: choice });
    expect(sentTo(compatible)).toMatchObject({ tools: [{ function: { name: "b" } }], tool_choice: "auto" });
  });
});

describe("forms of tools", () => {
  const patch = "*** Begin Patch\n-<h1>Hi & bye</h1>\n*** End Patch\n";
  const custom = {
    type: "custom",
    name: "apply_patch",
    description: "Edits.",
    format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
  };
  const namespace = {
    type: "namespace",
    name: "agents",
    description: "Agents.",
    tools: [{ type: "function", ...look }],
  };
  const shell = { type: "local_shell" };
  const search = {
    type: "tool_search",
    execution: "client",
    description: "Searches.",
    parameters: { type: "object", properties: { query: { type: "string" } } },
  };
  const tools = [custom, namespace, shell, search];
  const model = "openai-compatible/m";
  const calls = [
    { name: "apply_patch", arguments: { input: patch } },
    { name: "agents_look", arguments: { a: 1 } },
    { name: "local_shell", arguments: { command: ["ls", "-l"] } },
    { name: "tool_search", arguments: { query: "q" } },
  ];

  it("come back as they were declared, and their results go to the model as they are", async () => {
    const { body } = await respond({ model, tools }, chatTurn({ calls }));
    const output = body.output as Json[];
    expect(output).toMatchObject([
      { type: "custom_tool_call", name: "apply_patch", input: patch },
      { type: "function_call", namespace: "agents", name: "look", arguments: '{"a":1}' },
      { type: "local_shell_call", action: { type: "exec", command: ["ls", "-l"], env: {} } },
      { type: "tool_search_call", execution: "client", arguments: { query: "q" } },
    ]);
    const ids = output.map(({ call_id }) => call_id);
    const found = { type: "function", ...look, name: "found" };
    const results = [
      { type: "custom_tool_call_output", call_id: ids[0], output: "Done <b>&</b>" },
      { type: "function_call_output", call_id: ids[1], output: "" },
      { type: "local_shell_call_output", call_id: ids[2], output: "a\r\n" },
      { type: "tool_search_output", call_id: ids[3], execution: "client", tools: [found] },
    ];
    const history = [user, ...output, ...results];
    expect((await respond({ model, tools, input: history }, chatTurn({ text: "Fine." }))).status).toBe(200);
    const messages = sentTo(compatible).messages as Json[];
    expect(messages.flatMap(({ role, content }) => (role === "tool" ? [content] : []))).toEqual([
      "Done <b>&</b>",
      "",
      "a\r\n",
      JSON.stringify([found]),
    ]);
    const offered = (sentTo(compatible).tools as { function: { name: string } }[]).map(
      (one) => one.function.name,
    );
    expect(offered).toEqual(["apply_patch", "agents_look", "local_shell", "tool_search", "found"]);
  });

  it("are offered from the conversation too, and custom ones come back to their group", async () => {
    const group = { ...namespace, tools: [custom, { type: "function", ...look }] };
    const added = { type: "additional_tools", role: "developer", tools: [group, shell] };
    const asked = [{ name: "agents_apply_patch", arguments: { input: patch } }];
    const input = [user, added];
    const { body } = await respond({ model, input }, chatTurn({ calls: asked }));
    const output = body.output as Json[];
    const called = { type: "custom_tool_call", namespace: "agents", name: "apply_patch", input: patch };
    expect(output).toMatchObject([called]);
    const offered = sentTo(compatible).tools as { function: { name: string } }[];
    expect(offered.map((one) => one.function.name)).toEqual([
      "agents_apply_patch",
      "agents_look",
      "local_shell",
    ]);
    const foreign = { ...called, call_id: "call_a" };
    const result = { type: "custom_tool_call_output", call_id: "call_a", output: "Done" };
    const history = [...input, foreign, result];
    expect((await respond({ model, input: history }, chatTurn({ text: "Fine." }))).status).toBe(200);
    expect(JSON.stringify(sentTo(compatible).messages)).toContain('"name":"agents_apply_patch"');
  });

  it.each(["previous_response_id", "conversation", "conversation with items"])(
    "stay offered to a client that continues by %s",
    async (way) => {
      const { id } = (await post("conversations", {})).body;
      const named = {
        "conversation with items": { conversation: id },
        conversation: { conversation: "tools" },
      };
      const within = Object.entries(named).find(([name]) => name === way)?.[1] ?? {};
      const added = { type: "additional_tools", role: "developer", tools: [custom] };
      const asked = chatTurn({ calls: calls.slice(0, 1) });
      let { body } = await respond({ model, input: [user, added], ...within }, asked);
      for (const output of ["Done", "Done again"]) {
        const [call] = body.output as Json[];
        expect(call).toMatchObject({ type: "custom_tool_call", name: "apply_patch" });
        const input = [{ type: "custom_tool_call_output", call_id: call?.call_id, output }];
        const more = way === "previous_response_id" ? { previous_response_id: body.id } : within;
        ({ body } = await respond({ model, input, ...more }, asked));
        expect(sentTo(compatible).tools).toMatchObject([{ function: { name: "apply_patch" } }]);
      }
      expect((body.output as Json[])[0]).toMatchObject({ type: "custom_tool_call", input: patch });
    },
  );

  it.each(["previous_response_id", "conversation", "conversation with items"])(
    "can be withheld for one response by a client that continues by %s",
    async (way) => {
      const { id } = (await post("conversations", {})).body;
      const within = { previous_response_id: {}, conversation: { conversation: "withheld" } }[way] ?? {
        conversation: id,
      };
      const added = { type: "additional_tools", role: "developer", tools: [custom] };
      const fine = chatTurn({ text: "Fine." });
      let { body } = await respond({ model, input: [user, added], ...within }, fine);
      const own = [{ type: "function", ...look }];
      const lookOnly = { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "look" }] };
      for (const [tool_choice, names] of [
        [lookOnly, ["look"]],
        [lookOnly, ["look"]],
        ["auto", ["look", "apply_patch"]],
      ] as const) {
        const more = way === "previous_response_id" ? { previous_response_id: body.id } : within;
        ({ body } = await respond({ model, input: [user], tools: own, tool_choice, ...more }, fine));
        const offered = sentTo(compatible).tools as { function: { name: string } }[];
        expect(offered.map((one) => one.function.name)).toEqual(names);
      }
    },
  );

  it("can be forced in a later turn that does not repeat them", async () => {
    const added = { type: "additional_tools", role: "developer", tools: [custom] };
    const fine = chatTurn({ text: "Fine." });
    const { body } = await respond({ model, input: [user, added] }, fine);
    const later = { model, input: [user], previous_response_id: body.id };
    const forced = { type: "custom", name: "apply_patch" };
    const only = { type: "allowed_tools", mode: "required", tools: [forced] };
    for (const tool_choice of [forced, "required", only]) {
      const { id, ...rest } = (await respond({ ...later, tool_choice }, fine)).body;
      expect([id, rest]).toEqual([expect.stringMatching(/^resp_/), expect.objectContaining({ error: null })]);
      expect(sentTo(compatible).tools).toMatchObject([{ function: { name: "apply_patch" } }]);
      expect(sentTo(compatible).tool_choice).not.toBe("auto");
    }
    const nowhere = { ...later, tool_choice: { type: "function", name: "nowhere" } };
    expect(await respond(nowhere)).toMatchObject({
      status: 400,
      body: { error: { param: "tool_choice", message: expect.stringContaining("'nowhere'") } },
    });
  });

  it("that a search of OpenAI's would load are offered at once, and a search is told before the first call", async () => {
    const deferred = { type: "function", ...look, name: "deferred", defer_loading: true };
    const group = { ...namespace, tools: [{ type: "function", ...look, defer_loading: true }] };
    const offer = { model, tools: [deferred, group, { type: "function", ...look }, { type: "tool_search" }] };
    const names = ["deferred", "agents_look", "look", "deferred"];
    const called = chatTurn({ calls: names.map((name) => ({ name, arguments: {} })) });
    const { body, warnings } = await respond({ ...offer, input: [user] }, called);
    expect(warnings).toBe("");
    const output = body.output as Json[];
    const search = (path: string, tool: object) => [
      { type: "tool_search_call", execution: "server", call_id: null, arguments: { paths: [path] } },
      { type: "tool_search_output", execution: "server", status: "completed", tools: [tool] },
    ];
    expect(output).toMatchObject([
      ...search("deferred", deferred),
      { type: "function_call", name: "deferred" },
      ...search("agents.look", group),
      { type: "function_call", namespace: "agents", name: "look" },
      { type: "function_call", name: "look" },
      { type: "function_call", name: "deferred" },
    ]);
    const results = output.flatMap(({ call_id }) =>
      call_id ? [{ type: "function_call_output", call_id, output: "Done" }] : [],
    );
    const fine = chatTurn({ text: "Fine." });
    const history = [user, ...output, ...results];
    expect((await respond({ ...offer, input: history }, fine)).status).toBe(200);
    const told = sentTo(compatible).tools as { function: { name: string } }[];
    expect(told.map((one) => one.function.name)).toEqual(["deferred", "agents_look", "look"]);
  });

  it("that the client's own search would load are offered once it has", async () => {
    const deferred = { type: "function", ...look, name: "deferred", defer_loading: true };
    const own = { type: "tool_search", execution: "client" };
    const asked = chatTurn({ calls: [{ name: "tool_search", arguments: { paths: ["deferred"] } }] });
    const { body } = await respond({ model, tools: [deferred, own] }, asked);
    const offered = () =>
      (sentTo(compatible).tools as { function: { name: string; description: string } }[]).map(
        (one) => one.function,
      );
    expect(offered()).toMatchObject([
      { name: "tool_search", description: expect.stringContaining("deferred: Looks.") },
    ]);
    const [call] = body.output as Json[];
    expect(call).toMatchObject({ type: "tool_search_call", execution: "client" });
    const found = {
      type: "tool_search_output",
      call_id: call?.call_id,
      execution: "client",
      tools: [deferred],
    };
    const next = { model, tools: [deferred, own], previous_response_id: body.id, input: [found] };
    await respond(next, chatTurn({ text: "Fine." }));
    expect(offered().map(({ name }) => name)).toEqual(["tool_search", "deferred"]);
  });

  it("are streamed like OpenAI's", async () => {
    queue = [chatTurn({ calls: calls.slice(0, 1) })];
    const response = await fetch(`${url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model, input: "Go", tools, stream: true }),
    });
    const types = (await response.text()).match(/^event: .*/gm);
    expect(types).toEqual([
      "event: response.created",
      "event: response.in_progress",
      "event: response.output_item.added",
      "event: response.custom_tool_call_input.delta",
      "event: response.custom_tool_call_input.done",
      "event: response.output_item.done",
      "event: response.completed",
    ]);
  });

  it("include custom tools in Chat Completions", async () => {
    const { body } = await chat(
      { tools: [{ type: "custom", custom: { name: "apply_patch", description: "Edits." } }] },
      chatTurn({ calls: calls.slice(0, 1) }),
    );
    const [choice] = body.choices as { message: { tool_calls: Json[] } }[];
    expect(choice?.message.tool_calls).toEqual([
      { id: expect.any(String), type: "custom", custom: { name: "apply_patch", input: patch } },
    ]);
    const result = { role: "tool", tool_call_id: choice?.message.tool_calls[0]?.id, content: "Done" };
    expect((await chat({ messages: [user, choice?.message, result] })).status).toBe(200);
  });

  it("reach OpenAI as custom tools, with calls and results of that type", async () => {
    await respond({ tools: [custom] });
    expect(sentTo(openai).tools).toEqual([custom]);
    const call = { type: "custom_tool_call", call_id: "call_a", name: "apply_patch", input: patch };
    const result = { type: "custom_tool_call_output", call_id: "call_a", output: "Done" };
    await respond({ tools: [custom], input: [user, call, result] });
    expect((sentTo(openai).input as Json[]).slice(1)).toEqual([call, result]);
  });
});

describe("a conversation that a client has us compact", () => {
  let api: OpenAiServer;
  beforeAll(async () => {
    api = await openServer();
  });
  afterAll(() => api?.close());

  it("becomes one item, which stands for it later", async () => {
    const ask = (input: object[]) =>
      api.openai.responses.create({
        model: "gpt-4o",
        input,
        store: false,
      } as never) as Promise<OpenAI.Responses.Response>;
    api.play(chatTurn({ text: "They want a bridge." }));
    const first = await ask([{ role: "user", content: "Build a bridge" }, { type: "compaction_trigger" }]);
    expect(first.output.map(({ type }) => type)).toEqual(["compaction"]);
    api.play(chatTurn({ text: "Yes." }));
    await ask([...(first.output as object[]), { role: "user", content: "Still?" }]);
    expect(JSON.stringify(api.lastMessages())).toContain("They want a bridge.");
  });
});
