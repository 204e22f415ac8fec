import type { Content, FunctionDeclaration, GenerationConfig } from "@google/genai";
import { describe, expect, it } from "vitest";
import type { Message, Part, ToolResultPart } from "../../protocol/messages.ts";
import { textMessage } from "../../protocol/messages.ts";
import type { ModelInfo, ModelRequest, ToolSpec } from "../../protocol/model.ts";
import { formatToolResult } from "../../protocol/tool-result.ts";
import { gemini } from "./gemini.ts";
import { replay, sseOf, testContext } from "./testing/replay.ts";

const MODEL_ID = "gemini/gemini-test";
const SEARCH: ToolSpec = {
  name: "browser.search",
  description: "Searches.",
  parameters: {
    type: "object",
    properties: { count: { type: "integer", exclusiveMinimum: 0 } },
    additionalProperties: false,
  },
};
const TIME: ToolSpec = { name: "get_time", description: "The time.", parameters: { type: "object" } };

interface Body {
  systemInstruction?: Content;
  tools?: { functionDeclarations: FunctionDeclaration[] }[];
  toolConfig?: unknown;
  generationConfig?: GenerationConfig;
  contents: Content[];
}

function encode(request: Partial<ModelRequest>, model: Partial<ModelInfo> = {}) {
  const wire = gemini.encode(
    { messages: [textMessage("u1", "user", "Hi")], tools: [], ...request },
    testContext({ model: { name: "gemini-test", ...model }, modelId: MODEL_ID, quirks: model.quirks ?? {} }),
  );
  return { ...wire, body: wire.body as unknown as Body };
}

function assistant(parts: Part[], model = MODEL_ID): Message {
  return { id: "a1", role: "assistant", parts, model };
}

function call(id: string, name = "get_time", metadata?: Record<string, string>): Part {
  return { type: "tool_call", id, name, arguments: '{"a":1}', ...(metadata && { metadata }) };
}

function result(toolCallId: string, toolName = "get_time"): ToolResultPart {
  return { type: "tool_result", toolCallId, toolName, success: true, output: "noon", trust: "trusted" };
}

describe("a request to Gemini", () => {
  it("streams events from the model's own URL", () => {
    const { path, body } = encode({ system: "Be kind.", temperature: 0.3, maxOutputTokens: 500 });
    expect(path).toBe("/v1beta/models/gemini-test:streamGenerateContent?alt=sse");
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: "Be kind." }] },
      generationConfig: { temperature: 0.3, maxOutputTokens: 500 },
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
    });
    expect(encode({}, { name: "tunedModels/mine" }).path).toContain("/v1beta/tunedModels/mine:stream");
  });

  it("declares tools with JSON Schema, because the older field refuses some keywords", () => {
    const [declaration] = encode({ tools: [SEARCH] }).body.tools?.[0]?.functionDeclarations ?? [];
    expect(declaration).toEqual({
      name: "browser_search",
      description: "Searches.",
      parametersJsonSchema: {
        type: "object",
        properties: { count: { type: "integer", exclusiveMinimum: 0 } },
        additionalProperties: false,
      },
    });
  });

  it("offers no tools to a model that does not support them", () => {
    const { body } = encode({ tools: [TIME], toolChoice: "required" }, { supportsTools: false });
    expect(body).not.toHaveProperty("tools");
    expect(body).not.toHaveProperty("toolConfig");
  });

  it("maps names that begin with a digit or contain a dot, in both directions", () => {
    const tools = [SEARCH, { ...TIME, name: "2fa.code" }];
    const names = encode({ tools }).body.tools?.[0]?.functionDeclarations.map((tool) => tool.name);
    expect(names).toEqual(["browser_search", "_2fa_code"]);
    const parts = names?.map((name) => ({ functionCall: { name } }));
    const stream = sseOf([{ candidates: [{ content: { parts }, finishReason: "STOP" }] }], "");
    const { calls } = replay(gemini, stream, 4096, testContext(), { messages: [], tools });
    expect(calls.map((made) => made.name)).toEqual(["browser.search", "2fa.code"]);
  });

  it.each([
    ["auto", undefined],
    ["none", { functionCallingConfig: { mode: "NONE" } }],
    ["required", { functionCallingConfig: { mode: "ANY" } }],
    [
      { tool: "browser.search" },
      { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["browser_search"] } },
    ],
  ] as const)("encodes the tool choice %j", (toolChoice, expected) => {
    expect(encode({ tools: [SEARCH], toolChoice }).body.toolConfig).toEqual(expected);
  });

  it("sends images as bytes or by URL, and requests images if they are wanted", () => {
    const parts: Part[] = [
      { type: "image", mimeType: "image/png", data: "aGk=" },
      { type: "image", mimeType: "image/png", url: "https://pictures.example/a.png" },
      { type: "image", mimeType: "image/png", fileId: "file_1" },
    ];
    const { body } = encode({ messages: [{ id: "u1", role: "user", parts }], imageOutput: true });
    expect(body.contents[0]?.parts).toMatchObject([
      { inlineData: { mimeType: "image/png", data: "aGk=" } },
      { fileData: { mimeType: "image/png", fileUri: "https://pictures.example/a.png" } },
      { text: expect.stringContaining("image") },
    ]);
    expect(body.generationConfig?.responseModalities).toEqual(["TEXT", "IMAGE"]);
  });

  it("asks for JSON that follows a schema, but not together with tools if the model refuses both", () => {
    const schema = { type: "object", properties: {} };
    const responseFormat = { type: "json", schema } as const;
    const asked = { responseMimeType: "application/json", responseJsonSchema: schema };
    expect(encode({ responseFormat }).body.generationConfig).toEqual(asked);
    const quirks = { formatWithTools: false };
    const told = encode({ responseFormat, tools: [TIME] }, { quirks }).body;
    expect(told.generationConfig).toBeUndefined();
    expect(JSON.stringify(told.contents)).toContain("JSON Schema");
    expect(
      encode({ responseFormat, tools: [TIME] }, { reasoning: "level", quirks }).body.generationConfig,
    ).toMatchObject(asked);
  });

  it("requests thinking in the model's own terms", () => {
    const thinking = (reasoning: string | undefined, reasoningEffort?: ModelRequest["reasoningEffort"]) =>
      encode({ reasoningEffort }, { reasoning }).body.generationConfig?.thinkingConfig;
    expect(thinking(undefined, "high")).toBeUndefined();
    expect(thinking("level", "high")).toEqual({ includeThoughts: true, thinkingLevel: "HIGH" });
    expect(thinking("level", "minimal")).toEqual({ includeThoughts: true, thinkingLevel: "LOW" });
    expect(thinking("level-minimal", "none")).toEqual({ includeThoughts: false, thinkingLevel: "MINIMAL" });
    expect(thinking("budget", "none")).toEqual({ includeThoughts: false, thinkingBudget: 0 });
    expect(thinking("budget-always", "none")).toEqual({ includeThoughts: false, thinkingBudget: 128 });
    expect(thinking("budget", "medium")).toEqual({ includeThoughts: true, thinkingBudget: 8192 });
    expect(thinking("budget")).toEqual({ includeThoughts: true });
  });
});

describe("history that goes to Gemini", () => {
  it("matches results to calls by order and name, with the vendor's id if it sent one", () => {
    const failed: ToolResultPart = {
      ...result("call_1"),
      success: false,
      error: { code: "TOOL_FAILED", status: 500, message: "It broke." },
    };
    const { body } = encode({
      tools: [TIME],
      messages: [
        textMessage("u1", "user", "Hi"),
        assistant([
          call("call_1"),
          call("call_2", "browser.search", { id: "v-2" }),
          result("call_2", "browser.search"),
          failed,
        ]),
        textMessage("u2", "user", "And?"),
      ],
    });
    expect(body.contents.slice(1)).toEqual([
      {
        role: "model",
        parts: [
          { functionCall: { name: "get_time", args: { a: 1 } } },
          { functionCall: { id: "v-2", name: "browser_search", args: { a: 1 } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "get_time", response: { error: formatToolResult(failed) } } },
          {
            functionResponse: {
              id: "v-2",
              name: "browser_search",
              response: { output: formatToolResult(result("call_2", "browser.search")) },
            },
          },
        ],
      },
      { role: "user", parts: [{ text: "And?" }] },
    ]);
  });

  it("adds an error for a call without a result, so that results match calls", () => {
    const { body } = encode({
      messages: [
        textMessage("u1", "user", "Hi"),
        assistant([call("call_1"), call("call_2"), result("call_2")]),
      ],
    });
    const responses = body.contents[2]?.parts?.map((part) =>
      Object.keys(part.functionResponse?.response ?? {}),
    );
    expect(responses).toEqual([["error"], ["output"]]);
  });

  it("sends every part back byte for byte as it was received, with its own signature (32)", () => {
    const signature = `${"Eq".repeat(300)}/+=`;
    const said = [
      { text: "Hm.", thought: true },
      { text: "Ä 👋" },
      { functionCall: { name: "browser_search", args: { q: "a" } }, thoughtSignature: signature },
      { functionCall: { name: "browser_search", args: {} } },
      { text: "", thoughtSignature: "sig-of-nothing" },
      { inlineData: { mimeType: "image/png", data: "aGk=" }, thoughtSignature: "sig-of-image" },
    ];
    const stream = sseOf([{ candidates: [{ content: { parts: said }, finishReason: "STOP" }] }], "");
    const { parts } = replay(gemini, stream, 7, testContext(), { messages: [], tools: [SEARCH] });
    const { body } = encode(
      { tools: [SEARCH], messages: [textMessage("u1", "user", "Hi"), assistant(parts)] },
      { reasoning: "level" },
    );
    expect(body.contents[1]?.parts).toEqual(said.slice(1));
    expect(Object.keys(body.contents[1]?.parts?.[1] ?? {})).toEqual(["functionCall", "thoughtSignature"]);
  });

  it("sends no signature, thought or id of another model, but the documented placeholder signature for its calls", () => {
    const foreign = assistant(
      [
        { type: "reasoning", text: "Hm", metadata: { thoughtSignature: "s1" } },
        { type: "text", text: "", metadata: { thoughtSignature: "s2" } },
        { type: "text", text: "Looking.", metadata: { thoughtSignature: "s3" } },
        call("call_1", "get_time", { id: "v-1", thoughtSignature: "s4" }),
        call("call_2"),
      ],
      "gemini/another",
    );
    const messages = [textMessage("u1", "user", "Hi"), foreign];
    const partsOf = (model: Partial<ModelInfo>) => encode({ messages }, model).body.contents[1]?.parts;
    const calls = { functionCall: { name: "get_time", args: { a: 1 } } };
    expect(partsOf({ reasoning: "budget" })).toEqual([{ text: "Looking." }, calls, calls]);
    expect(partsOf({ reasoning: "level" })).toEqual([
      { text: "Looking." },
      { ...calls, thoughtSignature: "skip_thought_signature_validator" },
      calls,
    ]);
  });

  it("begins the body of the next turn with the same bytes", () => {
    const first: ModelRequest = {
      system: "Be kind.",
      tools: [TIME, SEARCH],
      messages: [
        textMessage("u1", "user", "Hi"),
        assistant([call("call_1"), result("call_1")]),
        textMessage("u2", "user", "And now?"),
      ],
    };
    const next = {
      ...first,
      messages: [
        ...first.messages,
        assistant([{ type: "text", text: "Noon." }]),
        textMessage("u3", "user", "Thanks"),
      ],
    };
    const before = JSON.stringify(encode(first).body).replace(/\]\}$/, "");
    expect(JSON.stringify(encode(next).body).startsWith(before)).toBe(true);
  });

  it("begins and ends with a user message", () => {
    const { body } = encode({ messages: [assistant([{ type: "text", text: "Welcome." }])] });
    expect(body.contents.map((content) => content.role)).toEqual(["user", "model", "user"]);
    expect(encode({ messages: [] }).body.contents).toHaveLength(1);
  });
});
