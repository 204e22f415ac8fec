import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anthropicTurn } from "../src/sim/testing/anthropic-turn.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { type AnthropicServer, CLAUDE, GPT, openAnthropicServer } from "./support/anthropic.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const CACHED = { type: "ephemeral" } as const;
const image: Anthropic.ImageBlockParam = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: PIXEL },
};
const textDocument: Anthropic.DocumentBlockParam = {
  type: "document",
  title: "Notes",
  source: { type: "text", media_type: "text/plain", data: "The heron is grey." },
};
const BASH: Anthropic.ToolUnion = { type: "bash_20250124", name: "bash" };
const SEARCH: Anthropic.ToolUnion = { type: "web_search_20250305", name: "web_search" };

let api: AnthropicServer;
let sdk: Anthropic;
beforeAll(async () => {
  api = await openAnthropicServer("off");
  sdk = api.anthropic;
});
afterAll(() => api?.close());

/** Sends a body as it is. */
async function post(body: object, headers: Record<string, string> = {}, path = "/v1/messages") {
  const response = await fetch(`${api.server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", ...headers },
    body: JSON.stringify(body),
  });
  return { response, text: await response.text() };
}

const hello = [{ role: "user", content: "Hi" }];

describe("a request for a model of Anthropic's", () => {
  it("is passed on as it is, with its headers", async () => {
    api.claude.play(anthropicTurn({ text: "Yes." }));
    const body = {
      model: CLAUDE,
      max_tokens: 4000,
      system: [
        { type: "text", text: "A billing line." },
        { type: "text", text: "Be good.", cache_control: CACHED },
      ],
      tools: [
        { name: "look", input_schema: { type: "object", properties: {} }, cache_control: CACHED },
        SEARCH,
        BASH,
      ],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      thinking: { type: "adaptive", display: "omitted" },
      output_config: { effort: "medium" },
      metadata: { user_id: "somebody" },
      service_tier: "auto",
      messages: [
        {
          role: "user",
          content: [image, textDocument, { type: "text", text: "Look.", cache_control: CACHED }],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "Eq/+A==" },
            { type: "redacted_thinking", data: "aGlkZGVu" },
            { type: "text", text: "Looking." },
            { type: "tool_use", id: "toolu_1", name: "look", input: { at: "<h1>" } },
          ],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "toolu_1", is_error: true, content: [image] }],
        },
      ],
    };
    const { response, text } = await post(body, {
      "anthropic-beta": "one-2026-01-01,message-threads-2026-08-12",
    });
    expect([response.status, text]).toEqual([200, expect.stringContaining("Yes.")]);
    expect(api.claude.lastBody()).toEqual({ ...body, stream: true });
    const { headers } = api.claude.upstream.requests.at(-1) ?? {};
    expect(headers).toMatchObject({ "anthropic-version": "2023-06-01", "anthropic-beta": "one-2026-01-01" });
  });

  it("gets back what thinking needs, in order", async () => {
    api.claude.play(
      anthropicTurn({ reasoning: "Hm.", signature: "Eq/+A==", redactedThinking: "aGlkZGVu", text: "Yes." }),
    );
    const stream = sdk.messages.stream({
      model: CLAUDE,
      max_tokens: 1000,
      messages: [{ role: "user", content: "Hi" }],
    });
    expect((await stream.finalMessage()).content).toEqual([
      { type: "redacted_thinking", data: "aGlkZGVu" },
      { type: "thinking", thinking: "Hm.", signature: "Eq/+A==" },
      { type: "text", text: "Yes." },
    ]);
  });

  it("gets back what the vendor's own tools did", async () => {
    const used = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "heron" } };
    const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
    api.claude.play(anthropicTurn({ blocks: [used, found], text: "Grey.", stopReason: "pause_turn" }));
    const message = await sdk.messages.create({
      model: CLAUDE,
      max_tokens: 1000,
      messages: [{ role: "user", content: "Hi" }],
      tools: [SEARCH],
    });
    expect(message.content).toEqual([used, found, { type: "text", text: "Grey." }]);
    expect(message.stop_reason).toBe("pause_turn");
  });

  it("is translated if the vendor refuses it", async () => {
    api.claude.play(
      errorTurn(400, { message: 'messages: Unexpected role "system".' }),
      anthropicTurn({ text: "Yes." }),
    );
    const messages = [...hello, { role: "system", content: "Be brief." }];
    const { text } = await post({ model: CLAUDE, max_tokens: 100, messages });
    expect(text).toContain("Yes.");
    expect(api.claude.lastBody()).toMatchObject({ system: [{ text: "Be brief." }] });
  });

  it("reports the first refusal if the translation is refused too", async () => {
    api.claude.play(
      errorTurn(400, { message: "first reason" }),
      errorTurn(400, { message: "second reason" }),
    );
    const { response, text } = await post({ model: CLAUDE, max_tokens: 100, messages: hello });
    expect(response.status).toBe(400);
    expect(text).toContain("first reason");
  });
});

describe("a request for another vendor's model", () => {
  it("brings images, documents, and images in results", async () => {
    api.gpt.play(chatTurn({ text: "Yes." }));
    await sdk.messages.create({
      model: GPT,
      max_tokens: 1000,
      messages: [
        { role: "user", content: [image, textDocument, { type: "text", text: "Look." }] },
        { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "look", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [image] }] },
      ],
      tools: [{ name: "look", input_schema: { type: "object" } }],
    });
    const sent = JSON.stringify(api.gpt.lastBody().messages);
    expect(sent.split(PIXEL)).toHaveLength(3);
    expect(sent).toContain("The heron is grey.");
  });

  it("reads the text of a PDF", async () => {
    api.gpt.play(chatTurn({ text: "Yes." }));
    const source = {
      type: "base64" as const,
      media_type: "application/pdf" as const,
      data: pdfWith("A grey heron."),
    };
    await sdk.messages.create({
      model: GPT,
      max_tokens: 1000,
      messages: [{ role: "user", content: [{ type: "document", source }] }],
    });
    expect(JSON.stringify(api.gpt.lastBody().messages)).toContain("A grey heron.");
  });

  it("reads the text of a PDF that a tool of the client's returns, as Claude Code's does", async () => {
    api.gpt.play(chatTurn({ text: "Yes." }));
    const data = pdfWith("A white heron.");
    const source = { type: "base64" as const, media_type: "application/pdf" as const, data };
    const input_schema = { type: "object" as const };
    await sdk.messages.create({
      model: GPT,
      max_tokens: 1000,
      tools: [{ name: "read", input_schema }],
      messages: [
        { role: "user", content: "Read it." },
        { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_1",
              content: [
                { type: "text", text: "Read 1 page." },
                { type: "document", source },
              ],
            },
          ],
        },
      ],
    });
    const result = expect.stringMatching(/^Read 1 page\..*A white heron\./s);
    expect(api.gpt.lastBody().messages).toMatchObject([{}, {}, { role: "tool", content: result }]);
  });

  it("keeps system messages apart and in their place", async () => {
    api.gpt.play(chatTurn({ text: "Yes." }));
    const system = [
      { type: "text", text: "First." },
      { type: "text", text: "Second." },
    ];
    const messages = [...hello, { role: "system", content: [{ type: "text", text: "Third." }] }];
    await post({ model: GPT, max_tokens: 100, system, messages });
    const sent = api.gpt.lastBody().messages as { role: string; content: string }[];
    expect(sent.map(({ role, content }) => [role, content])).toEqual([
      ["system", "First."],
      ["system", "Second."],
      ["user", "Hi"],
      ["system", "Third."],
    ]);
  });

  it("begins its answer with the text if the client did not ask for thinking", async () => {
    for (const thinking of [undefined, { type: "disabled" }]) {
      api.gpt.play(chatTurn({ reasoning: "Hm.", text: "Yes." }));
      const { text } = await post({ model: GPT, max_tokens: 100, messages: hello, thinking });
      expect(JSON.parse(text).content).toEqual([{ type: "text", text: "Yes." }]);
    }
  });

  it("shows that the model thought, but not what, if the client wants that omitted", async () => {
    const thinking = { type: "adaptive" as const, display: "omitted" as const };
    const asked = { model: GPT, max_tokens: 100, thinking, messages: hello };
    for (const stream of [false, true]) {
      api.gpt.play(chatTurn({ reasoning: "Hm. Well.", text: "Yes.", chunkSize: "word" }));
      const { text } = await post({ ...asked, stream });
      expect(text).not.toContain("Hm.");
      expect(text).toContain("Yes.");
      expect(text.match(/"type":"thinking"/g)).toHaveLength(1);
      expect(text).toMatch(/"signature":"\w+"/);
    }
  });

  it("leaves out thinking that another vendor signed, and takes its own back", async () => {
    api.gpt.play(chatTurn({ reasoning: "Hm.", text: "Yes." }));
    const first = await sdk.messages.create({
      model: GPT,
      max_tokens: 100,
      thinking: { type: "adaptive" },
      messages: [{ role: "user", content: "Hi" }],
    });
    expect(first.content[0]).toMatchObject({
      type: "thinking",
      thinking: "Hm.",
      signature: expect.stringMatching(/./),
    });
    const signed = { type: "thinking", thinking: "Secret.", signature: "Eq/+A==" };
    api.gpt.play(chatTurn({ text: "Yes." }));
    const messages = [...hello, { role: "assistant", content: [signed, ...first.content] }, ...hello];
    const { response } = await post({ model: GPT, max_tokens: 100, messages });
    expect(response.status).toBe(200);
    api.claude.play(anthropicTurn({ text: "Yes." }));
    await post({ model: CLAUDE, max_tokens: 100, messages });
    const sent = JSON.stringify(api.claude.lastBody().messages);
    expect(sent).toContain("Secret.");
    expect(sent).not.toContain("Hm.");
  });

  it("offers tools that clients run by their type, and leaves out what only Anthropic has", async () => {
    api.gpt.play(chatTurn({ calls: [{ name: "bash", arguments: { command: "ls" } }] }));
    const tools = [BASH, { type: "code_execution_20250825", name: "code_execution" }];
    const { response, text } = await post({ model: GPT, max_tokens: 100, messages: hello, tools });
    expect(JSON.parse(text)).toMatchObject({
      content: [{ type: "tool_use", name: "bash", input: { command: "ls" } }],
      stop_reason: "tool_use",
    });
    expect(response.headers.get("x-tackle-warnings")).toContain("code_execution");
    const forced = { tools, tool_choice: { type: "tool", name: "code_execution" } };
    expect((await post({ model: GPT, max_tokens: 100, messages: hello, ...forced })).response.status).toBe(
      400,
    );
  });

  it("ignores betas and fields that it does not know", async () => {
    api.gpt.play(chatTurn({ text: "Yes." }));
    const unknown = {
      container: "c",
      context_management: { edits: [] },
      mcp_servers: [],
      speed: "fast",
      future: 1,
    };
    const body = { model: GPT, max_tokens: 128_000, messages: hello, top_k: 5, ...unknown };
    const { response } = await post(
      body,
      { "anthropic-beta": "future-2030-01-01" },
      "/v1/messages?beta=true",
    );
    expect(response.status).toBe(200);
  });

  it("sends an error event if the answer breaks off", async () => {
    api.gpt.play({ frames: [...(chatTurn({ text: "Half an" }).frames ?? []).slice(0, 2), "cut"] });
    const stream = sdk.messages.stream({
      model: GPT,
      max_tokens: 100,
      messages: [{ role: "user", content: "Hi" }],
    });
    await expect(stream.finalMessage()).rejects.toThrow(Anthropic.APIError);
  });
});

describe("what Anthropic's clients are refused", () => {
  it.each([
    ["no model", { max_tokens: 1, messages: hello }, "model: Field required"],
    ["no limit", { model: GPT, messages: hello }, "max_tokens: Field required"],
    ["no messages", { model: GPT, max_tokens: 1 }, "messages: Field required"],
    [
      "an unknown role",
      { model: GPT, max_tokens: 1, messages: [{ role: "king", content: "" }] },
      "messages.0.role",
    ],
    [
      "a result without a call",
      {
        model: GPT,
        max_tokens: 1,
        messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_9" }] }],
      },
      "toolu_9",
    ],
    [
      "a forced tool without tools",
      { model: GPT, max_tokens: 1, messages: hello, tool_choice: { type: "any" } },
      "tool_choice",
    ],
  ])("%s", async (_what, body, words) => {
    const { response, text } = await post(body);
    expect(response.status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", message: expect.stringContaining(words) },
      request_id: response.headers.get("request-id"),
    });
  });

  it("an unknown model", async () => {
    await expect(
      sdk.messages.create({ model: "nope", max_tokens: 1, messages: [] as never }),
    ).rejects.toThrow();
    const thrown = await sdk.models.retrieve("nope").catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(Anthropic.NotFoundError);
  });
});

describe("lists of models", () => {
  it("have Anthropic's format for its clients, in pages", async () => {
    const ids: string[] = [];
    for await (const model of sdk.models.list({ limit: 3 })) ids.push(model.id);
    expect(ids.length).toBeGreaterThan(6);
    expect(new Set(ids).size).toBe(ids.length);
    const model = await sdk.models.retrieve(CLAUDE);
    expect(model).toMatchObject({ type: "model", id: `anthropic/${CLAUDE}`, created_at: expect.any(String) });
    const plain = await fetch(`${api.server.url}/v1/models`);
    expect(await plain.json()).toMatchObject({ object: "list" });
  });
});

/** Returns a PDF with one line of text, in base64. */
function pdfWith(line: string): string {
  const content = `BT /F1 24 Tf 72 700 Td (${line}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const at = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF`;
  return Buffer.from(file, "latin1").toString("base64");
}
