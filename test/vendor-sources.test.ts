import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";

const PAGE = { url: "https://example.com/rome", title: "Rome", start_index: 0, end_index: 4 };
const FILE = { type: "file_citation", file_id: "file-1", filename: "rome.md", index: 4 };
const cited = [{ type: "url_citation", ...PAGE }, FILE];
const SEARCH = {
  id: "fs_1",
  type: "file_search_call",
  status: "completed",
  queries: ["Rome"],
  results: null,
};
const CODE = {
  id: "ci_1",
  type: "code_interpreter_call",
  status: "completed",
  code: "2+2",
  container_id: "cntr_1",
  outputs: null,
};
const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Rome.", annotations: cited }],
};
const tools = [
  { type: "file_search" as const, vector_store_ids: ["vs_1"] },
  { type: "code_interpreter" as const, container: { type: "auto" as const } },
];

let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer();
});
afterAll(() => api?.close());

/** An answer of a vendor that searches files, runs code and cites. */
function searched(): Turn {
  const output = [SEARCH, CODE, MESSAGE];
  const items = output.flatMap((item, output_index) => [
    {
      type: "response.output_item.added",
      output_index,
      item: { ...item, status: "in_progress", content: [] },
    },
    ...(item === MESSAGE
      ? [
          {
            type: "response.output_text.delta",
            output_index,
            item_id: item.id,
            content_index: 0,
            delta: "Rome.",
          },
        ]
      : []),
    { type: "response.output_item.done", output_index, item },
  ]);
  const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
  const response = { id: "resp_1", object: "response", status: "completed", output, usage };
  const events = [...items, { type: "response.completed", response }];
  return { frames: events.map((json) => ({ event: json.type, json })) };
}

/** The same as a chat completion has it, in a stream. */
function citing(): Turn {
  const { frames } = chatTurn({ text: "Rome." });
  const delta = { annotations: [{ type: "url_citation", url_citation: PAGE }] };
  const json = { object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null }] };
  return { frames: [...frames.slice(0, -3), { json }, ...frames.slice(-3)] };
}

const OWN_ID = /^[a-z]{2,4}_[\w-]{20}_\d$/;
const found = [
  { ...SEARCH, id: expect.stringMatching(OWN_ID) },
  { ...CODE, id: expect.stringMatching(OWN_ID) },
  { type: "message", content: [{ text: "Rome.", annotations: cited }] },
];

describe("a response has what the vendor's own tools did and what its text cites", () => {
  it("complete, also when it is retrieved, and it can be continued", async () => {
    api.play(searched());
    const first = await api.openai.responses.create({ model: "gpt-5.5", input: "Capital?", tools });
    expect(first.output).toMatchObject(found);
    expect((await api.openai.responses.retrieve(first.id)).output).toMatchObject(found);
    for (const more of [
      { previous_response_id: first.id, input: "Sure?" },
      { input: [{ role: "user", content: "Capital?" }, ...first.output, { role: "user", content: "Sure?" }] },
      {
        input: [
          { type: "item_reference", id: first.output[0]?.id },
          { role: "user", content: "Sure?" },
        ],
      },
    ]) {
      api.play(searched());
      const request = {
        model: "gpt-5.5",
        tools,
        ...more,
      } as OpenAI.Responses.ResponseCreateParamsNonStreaming;
      expect((await api.openai.responses.create(request)).output_text).toBe("Rome.");
      expect(JSON.stringify(api.lastRequest().input)).toMatch(/Rome\..*Sure\?/);
    }
  });

  it("with what the client wants included, beside what we need", async () => {
    api.play(searched());
    const asked = ["file_search_call.results" as const, "code_interpreter_call.outputs" as const];
    const include = [
      ...asked,
      "reasoning.encrypted_content" as const,
      "web_search_call.action.sources" as const,
    ];
    await api.openai.responses.create({ model: "gpt-5.5", input: "Capital?", tools, include });
    expect(api.lastRequest().include).toEqual(["reasoning.encrypted_content", ...asked]);
  });

  it("if one of them is forced, and its vendor has it", async () => {
    const forced = { type: "file_search" as const };
    api.play(searched());
    await api.openai.responses.create({ model: "gpt-5.5", input: "Capital?", tools, tool_choice: forced });
    expect(api.lastRequest()).toMatchObject({ tools, tool_choice: forced });
    for (const [model, tool_choice] of [
      ["gpt-4o", forced],
      ["gpt-5.5", { type: "image_generation" as const }],
    ] as const) {
      const asked = api.openai.responses.create({ model, input: "Capital?", tools, tool_choice });
      await expect(asked).rejects.toMatchObject({ status: 400, code: "unsupported_parameter" });
    }
  });

  it("if one of them is forced, which is for the first step only: the model must be able to answer", async () => {
    const forced = { type: "file_search" as const };
    api.play(responsesTurn({ calls: [{ name: "get_time", arguments: {} }] }), searched());
    const response = await api.openai.responses.create(
      { model: "gpt-5.5", input: "Capital?", tools, tool_choice: forced },
      { headers: { "x-tackle-tools": "get_time" } },
    );
    expect(response.output_text).toBe("Rome.");
    const bodies = api.upstream.requests.filter(({ method }) => method === "POST").slice(-2);
    const choices = bodies.map(({ body }) => (body as { tool_choice?: unknown }).tool_choice);
    expect(choices).toEqual([forced, "auto"]);
  });

  it("unless one would ask for an approval, which nobody could give", async () => {
    const server = { type: "mcp" as const, server_label: "notes", server_url: "https://notes.example/mcp" };
    const ask = (tool: object, more: object = {}) =>
      api.openai.responses.create({ model: "gpt-5.5", input: "Hi", tools: [tool], ...more } as never);
    for (const tool of [server, { ...server, require_approval: { never: { tool_names: ["read"] } } }])
      await expect(ask(tool)).rejects.toMatchObject({
        ...{ status: 400, code: "unsupported_parameter", param: "tools" },
        message: expect.stringMatching(/set 'require_approval' of the MCP server 'notes' to 'never'/),
      });
    api.play(searched());
    await ask({ ...server, require_approval: "never" });
    expect(api.lastRequest().tools).toMatchObject([{ type: "mcp", server_label: "notes" }]);
    api.play(chatTurn({ text: "Without it." }));
    await ask(server, { model: "gpt-4o" });
    const answer = { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true };
    await expect(ask(server, { input: [answer] })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("Approval request with id 'mcpr_1' not found."),
    });
  });

  it("streamed", async () => {
    api.play(searched());
    const stream = await api.openai.responses.create({
      model: "gpt-5.5",
      input: "Capital?",
      tools,
      stream: true,
    });
    const done: unknown[] = [];
    const annotations: unknown[] = [];
    for await (const event of stream) {
      if (event.type === "response.output_item.done") done.push(event.item);
      if (event.type === "response.output_text.annotation.added")
        annotations[event.annotation_index] = event.annotation;
    }
    expect(done).toMatchObject(found);
    expect(annotations).toEqual(cited);
  });

  it("from a vendor that speaks Chat Completions", async () => {
    api.play(citing());
    const { output } = await api.openai.responses.create({ model: "gpt-4o", input: "Capital?" });
    expect(output).toMatchObject([{ content: [{ text: "Rome.", annotations: [cited[0]] }] }]);
  });
});

describe("a chat completion has the pages that its text cites", () => {
  const messages = [{ role: "user" as const, content: "Capital?" }];
  const pages = [{ type: "url_citation", url_citation: PAGE }];

  it.each([
    ["gpt-4o", citing],
    ["gpt-5.5", searched],
  ])("of %s, complete and streamed", async (model, answer) => {
    api.play(answer());
    const { choices } = await api.openai.chat.completions.create({ model, messages });
    expect(choices[0]?.message).toMatchObject({ content: "Rome.", annotations: pages });
    api.play(answer());
    const heard: unknown[] = [];
    for await (const { choices } of await api.openai.chat.completions.create({
      model,
      messages,
      stream: true,
    })) {
      const delta = choices[0]?.delta as { annotations?: unknown[] } | undefined;
      heard.push(...(delta?.annotations ?? []));
    }
    expect(heard).toEqual(pages);
  });
});

it("clients of other protocols get the text alone", async () => {
  for (const [model, answer] of [
    ["gpt-4o", citing],
    ["gpt-5.5", searched],
  ] as const) {
    api.play(answer());
    const response = await fetch(`${api.server.url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify({ model, max_tokens: 100, messages: [{ role: "user", content: "Capital?" }] }),
    });
    expect(await response.json()).toMatchObject({ content: [{ type: "text", text: "Rome." }] });
  }
});
