import { describe, expect, it } from "vitest";
import { findProblems, type Vendor } from "./find-problems.ts";

type Body = Record<string, unknown>;

const PATHS: Partial<Record<Vendor, string>> = {
  anthropic: "/v1/messages",
  gemini: "/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse",
};
const headers = { "anthropic-version": "2023-06-01" };
const hello = [{ role: "user", content: "Hello" }];
const CLAUDE = { model: "claude-sonnet-4-6", max_tokens: 4096, messages: hello };
const GPT = { model: "gpt-4.1", messages: hello };
const GEMINI = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] };

function rulesOf(vendor: Vendor, body: Body, path = PATHS[vendor] ?? "/v1/chat/completions"): string[] {
  const text = JSON.stringify(body);
  return findProblems(vendor, { path, headers, body: JSON.parse(text), text }).map(({ rule }) => rule);
}

function chatTool(parameters: unknown, name = "look"): Body {
  return { tools: [{ type: "function", function: { name, description: "Looks.", parameters } }] };
}

function claudeTool(schema: unknown, name = "look"): Body {
  return { tools: [{ name, description: "Looks.", input_schema: schema }] };
}

function calls(id: string, args = "{}"): Body[] {
  const call = { id, type: "function", function: { name: "look", arguments: args } };
  return [
    ...hello,
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content: "Seen." },
  ];
}

const OBJECT = { type: "object", properties: { at: { type: "string" } } };

/** Requests that each vendor refuses, and the rule that they break. */
const REFUSED: readonly [Vendor, string, Body, path?: string][] = [
  ["openai", "schema-object", { ...GPT, ...chatTool({ type: "object" }) }],
  ["openai", "schema-top-level", { ...GPT, ...chatTool({ ...OBJECT, anyOf: [{ required: ["at"] }] }) }],
  [
    "openai",
    "schema-items",
    { ...GPT, ...chatTool({ type: "object", properties: { a: { type: "array" } } }) },
  ],
  ["openai", "tool-name", { ...GPT, ...chatTool(OBJECT, "files.read") }],
  ["openai", "unknown-field", { ...GPT, top_k: 3 }],
  [
    "openai",
    "unknown-field",
    { ...GPT, messages: [{ role: "assistant", content: "Hi", reasoning_content: "" }] },
  ],
  ["openai", "call-id", { ...GPT, messages: calls("x".repeat(41)) }],
  ["openai", "call-without-result", { ...GPT, messages: calls("call_1").slice(0, 2) }],
  ["openai", "result-without-call", { ...GPT, messages: [...hello, ...calls("call_1").slice(2)] }],
  ["openai", "sampling", { ...GPT, model: "gpt-5.5", temperature: 0.5 }],
  ["openai", "max-tokens", { ...GPT, model: "gpt-5.5", max_tokens: 500 }],
  ["openai", "retired-model", { ...GPT, model: "o4-mini" }],
  ["openai", "stop", { ...GPT, stop: ["1", "2", "3", "4", "5"] }],
  ["openai", "surrogate", { ...GPT, messages: [{ role: "user", content: "half \ud83d" }] }],
  ["openai", "max-tokens", { model: "gpt-5.5", input: "Hi", max_output_tokens: 5 }, "/v1/responses"],
  ["openai", "unknown-field", { model: "gpt-5.5", input: "Hi", stop: ["x"] }, "/v1/responses"],
  [
    "openai",
    "reasoning-alone",
    { model: "gpt-5.5", input: [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" }] },
    "/v1/responses",
  ],
  ["openai", "retired-model", { model: "gpt-image-1", prompt: "A cat" }, "/v1/images/generations"],
  [
    "anthropic",
    "parameter-name",
    { ...CLAUDE, ...claudeTool({ type: "object", properties: { $filter: {} } }) },
  ],
  [
    "anthropic",
    "schema-draft",
    {
      ...CLAUDE,
      ...claudeTool({
        type: "object",
        properties: { n: { type: "number", minimum: 0, exclusiveMinimum: true } },
      }),
    },
  ],
  [
    "anthropic",
    "schema-draft",
    { ...CLAUDE, ...claudeTool({ type: "object", properties: { p: { type: "array", items: [{}, {}] } } }) },
  ],
  ["anthropic", "unknown-field", { ...CLAUDE, seed: 1 }],
  ["anthropic", "sampling", { ...CLAUDE, model: "claude-opus-5-5", temperature: 0.2 }],
  [
    "anthropic",
    "forced-tool",
    { ...CLAUDE, ...claudeTool(OBJECT), model: "claude-sonnet-5-5", tool_choice: { type: "any" } },
  ],
  ["anthropic", "temperature-range", { ...CLAUDE, model: "claude-haiku-4-5", temperature: 1.5 }],
  ["anthropic", "stop", { ...CLAUDE, stop_sequences: ["\n"] }],
  ["anthropic", "prefill", { ...CLAUDE, messages: [...hello, { role: "assistant", content: "Well" }] }],
  ["anthropic", "blank-text", { ...CLAUDE, messages: [{ role: "user", content: " \n" }] }],
  [
    "anthropic",
    "format-closed",
    { ...CLAUDE, output_config: { format: { type: "json_schema", schema: OBJECT } } },
  ],
  [
    "anthropic",
    "prefill",
    {
      ...CLAUDE,
      model: "claude-haiku-4-5",
      messages: [...hello, { role: "assistant", content: "{" }],
      output_config: { format: { type: "json_schema", schema: { ...OBJECT, additionalProperties: false } } },
    },
  ],
  ["gemini", "seed", { ...GEMINI, generationConfig: { seed: 2 ** 40 } }],
  ["gemini", "unknown-field", { ...GEMINI, generationConfig: { reasoning: 1 } }],
  [
    "gemini",
    "schema-keyword",
    {
      ...GEMINI,
      tools: [{ functionDeclarations: [{ name: "a", parameters: { ...OBJECT, $schema: "x" } }] }],
    },
  ],
  [
    "gemini",
    "thinking",
    { ...GEMINI, generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: "LOW" } } },
  ],
  ["gemini", "blank-text", { contents: [{ role: "user", parts: [{ text: "" }] }] }],
  ["mistral", "unknown-field", { ...GPT, model: "mistral-large-latest", seed: 3 }],
  ["mistral", "call-id", { ...GPT, model: "mistral-large-latest", messages: calls("call_1") }],
  ["mistral", "role-order", { ...GPT, messages: [...calls("123456789"), ...hello] }],
  ["mistral", "prefill", { ...GPT, messages: [...hello, { role: "assistant", content: "Well" }] }],
  [
    "groq",
    "format-with-stream",
    {
      ...GPT,
      model: "openai/gpt-oss-120b",
      stream: true,
      response_format: { type: "json_schema", json_schema: { name: "a", schema: OBJECT } },
    },
  ],
  ["xai", "penalties", { ...GPT, model: "grok-4.5", presence_penalty: 1 }],
  ["deepseek", "retired-model", { ...GPT, model: "deepseek-chat" }],
  ["ollama", "call-arguments", { ...GPT, model: "qwen3", messages: calls("call_1", '{"at": "ho') }],
  ["compatible", "call-arguments", { ...GPT, model: "local", messages: calls("call_1", "not json") }],
];

describe("the rules of vendors", () => {
  it.each(REFUSED)("%s: %s", (vendor, rule, body, path) => {
    expect(rulesOf(vendor, body, path)).toContain(rule);
  });

  it("find nothing in plain requests", () => {
    expect(rulesOf("anthropic", { ...CLAUDE, ...claudeTool(OBJECT) })).toEqual([]);
    expect(rulesOf("openai", { ...GPT, ...chatTool(OBJECT), messages: calls("call_1") })).toEqual([]);
    expect(rulesOf("gemini", GEMINI)).toEqual([]);
    expect(
      rulesOf("mistral", { ...GPT, model: "mistral-large-latest", messages: calls("123456789") }),
    ).toEqual([]);
    expect(
      rulesOf("openai", { ...GPT, messages: [{ role: "user", content: "😀 and \\ud83d as text" }] }),
    ).toEqual([]);
  });

  it("answer in the vendor's own form", () => {
    const schema = { type: "object", properties: { "page[size]": {} } };
    const body = { ...CLAUDE, ...claudeTool(schema) };
    const [found] = findProblems("anthropic", { path: "/v1/messages", headers, body });
    expect(found).toMatchObject({
      status: 400,
      errorBody: {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: expect.stringMatching(/^tools\.0\.custom\.input_schema\.properties: Property keys/),
        },
      },
    });
    const seed = findProblems("mistral", {
      path: "/v1/chat/completions",
      headers,
      body: { ...GPT, seed: 1 },
    })[0];
    expect(seed).toMatchObject({
      status: 422,
      errorBody: { message: { detail: [{ type: "extra_forbidden", loc: ["body", "seed"] }] } },
    });
  });
});
