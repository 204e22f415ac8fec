import { describe, expect, test } from "vitest";
import { type Message, type Part, textMessage } from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import { ollamaTurn } from "../../sim/testing/ollama-turn.ts";
import provider from "../providers/ollama.ts";
import { ollama } from "./ollama.ts";
import { replay, replayWhole, testContext } from "./testing/replay.ts";

const MODEL = "ollama/qwen3:8b";
const CONTEXT = testContext({
  model: { name: "qwen3:8b", contextWindow: 16_384, reasoning: "think" },
  modelId: MODEL,
  label: "Ollama",
  quirks: provider.quirks,
});
const TOOLS = [
  { name: "browser.search", description: "Searches.", parameters: { type: "object", properties: {} } },
  { name: "get_time", description: "Tells the time.", parameters: { type: "object", properties: {} } },
];
const HI = textMessage("u1", "user", "Hi");

function encode(request: Partial<ModelRequest>, context: DialectContext = CONTEXT) {
  return ollama.encode({ messages: [HI], tools: [], ...request }, context).body;
}

function withModel(model: Partial<DialectContext["model"]>): DialectContext {
  return { ...CONTEXT, model: { ...CONTEXT.model, ...model } };
}

function assistant(parts: Part[], model = MODEL): Message {
  return { id: "a1", role: "assistant", parts, model };
}

function call(id: string, json = '{"query":"x"}'): Part {
  return { type: "tool_call", id, name: "browser.search", arguments: json };
}

function result(toolCallId: string): Part {
  const part = { toolCallId, toolName: "browser.search", success: true, output: "found" };
  return { type: "tool_result", trust: "untrusted", ...part };
}

describe("the request", () => {
  test("goes to Ollama's own route and asks for the whole context window", () => {
    const wire = ollama.encode({ system: "Be kind.", messages: [HI], tools: [] }, CONTEXT);
    expect(wire.path).toBe("/api/chat");
    expect(wire.body).toEqual({
      model: "qwen3:8b",
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "Hi" },
      ],
      stream: true,
      options: { num_ctx: 16_384 },
    });
  });

  test("carries settings as options", () => {
    const { options } = encode({
      maxOutputTokens: 50,
      temperature: 0,
      topP: 0.9,
      stop: ["END"],
      seed: 7,
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
    });
    expect(options).toEqual({
      num_ctx: 16_384,
      num_predict: 50,
      temperature: 0,
      top_p: 0.9,
      stop: ["END"],
      seed: 7,
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
    });
  });

  test.each([
    ["think", [undefined, false, true, true, true, true]],
    ["think-level", [undefined, "low", "low", "low", "medium", "high"]],
    [undefined, [undefined, undefined, undefined, undefined, undefined, undefined]],
  ])("turns efforts into what a model with %s takes", (reasoning, expected) => {
    const efforts = [undefined, "none", "minimal", "low", "medium", "high"] as const;
    const sent = efforts.map(
      (reasoningEffort) => encode({ reasoningEffort }, withModel({ reasoning })).think,
    );
    expect(sent).toEqual(expected);
  });

  test("sends calls with their arguments as objects, and results with the tool's name", () => {
    const { messages } = encode({ messages: [HI, assistant([call("c1"), result("c1")])], tools: TOOLS });
    expect(messages).toMatchObject([
      { role: "user" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c1", function: { name: "browser_search", arguments: { query: "x" } } }],
      },
      {
        role: "tool",
        tool_name: "browser_search",
        tool_call_id: "c1",
        content: expect.stringContaining("found"),
      },
    ]);
  });

  test.each(["", '{"query": "x', "[1]", "null", '"text"'])("never sends %j as arguments", (json) => {
    const { messages } = encode({
      messages: [HI, assistant([call("c1", json), result("c1")])],
      tools: TOOLS,
    });
    const [, said] = messages as { tool_calls: { function: { arguments: unknown } }[] }[];
    const given = said?.tool_calls[0]?.function.arguments;
    expect(typeof given === "object" && given !== null && !Array.isArray(given)).toBe(true);
  });

  test("sends the model's own thoughts back, and nobody else's", () => {
    const thought: Part[] = [
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Yes." },
    ];
    const own = encode({ messages: [HI, assistant(thought), HI] });
    expect(own.messages).toContainEqual({ role: "assistant", content: "Yes.", thinking: "Hm." });
    const other = encode({ messages: [HI, assistant(thought, "openai/gpt-5"), HI] });
    expect(other.messages).toContainEqual({ role: "assistant", content: "Yes." });
  });

  test("sends images as bare base64, and describes those that Ollama cannot read", () => {
    const image = (mimeType: string): Part => ({ type: "image", mimeType, data: "AAAA" });
    const parts: Part[] = [{ type: "text", text: "Look" }, image("image/png"), image("image/gif")];
    const messages: Message[] = [{ id: "u1", role: "user", parts }];
    expect(encode({ messages }).messages).toEqual([
      { role: "user", content: expect.stringMatching(/^Look\n\n.*image/), images: ["AAAA"] },
    ]);
    const blind = encode({ messages }, withModel({ supportsImages: false }));
    expect(JSON.stringify(blind.messages)).not.toContain("AAAA");
  });

  test("offers no tools to a model that takes none, or if none may be called", () => {
    expect(encode({ tools: TOOLS }).tools).toHaveLength(2);
    expect(encode({ tools: TOOLS }, withModel({ supportsTools: false })).tools).toBeUndefined();
    expect(encode({ tools: TOOLS, toolChoice: "none" }).tools).toBeUndefined();
  });

  test("asks in words for a tool that must be called", () => {
    const { messages, ...rest } = encode({ tools: TOOLS, toolChoice: { tool: "get_time" } });
    expect(JSON.stringify(messages)).toContain("get_time");
    expect(rest).not.toHaveProperty("tool_choice");
  });

  test("asks for JSON by its schema, unless the model must be free to call tools", () => {
    const schema = { type: "object", properties: { a: { type: "number" } } };
    expect(encode({ responseFormat: { type: "json", schema } }).format).toEqual(schema);
    expect(encode({ responseFormat: { type: "json" } }).format).toBe("json");
    expect(encode({ responseFormat: { type: "json", schema }, tools: TOOLS }).format).toBeUndefined();
  });
});

describe("the answer", () => {
  const bytes = (answer: Parameters<typeof ollamaTurn>[0]) => ollamaTurn(answer).frames.join("");

  test.each([1, 7, 4096])("is read in packets of %i bytes", (size) => {
    const stream = bytes({
      reasoning: "Hm, größer…",
      text: "Zwölf €",
      calls: [
        { name: "browser_search", arguments: { query: "a" } },
        { name: "get_time", arguments: {} },
      ],
      usage: { inputTokens: 30, outputTokens: 9 },
    });
    const read = replay(ollama, stream, size, CONTEXT, { messages: [], tools: TOOLS });
    expect(read).toMatchObject({ text: "Zwölf €", reasoning: "Hm, größer…", failure: undefined });
    expect(read.calls.map(({ name, arguments: given }) => [name, given])).toEqual([
      ["browser.search", '{"query":"a"}'],
      ["get_time", "{}"],
    ]);
    expect(read.finish).toMatchObject({ reason: "tool_calls", rawReason: "stop" });
    expect(read.usage).toEqual({ inputTokens: 30, outputTokens: 9 });
  });

  test("may lack a line break at its end, or come whole", () => {
    expect(replay(ollama, bytes({ text: "Hi" }).trimEnd()).text).toBe("Hi");
    const whole = { message: { role: "assistant", content: "Hi" }, done: true, done_reason: "length" };
    expect(replayWhole(ollama, whole).finish?.reason).toBe("length");
  });

  test("has thoughts although Ollama left their tags in the text", () => {
    const read = replay(ollama, bytes({ text: "<think>Hm.</think>Yes." }));
    expect(read).toMatchObject({ reasoning: "Hm.", text: "Yes." });
  });

  test("is a failure if it breaks off, is empty, or holds an error or no JSON", () => {
    const [first = ""] = ollamaTurn({ text: "Hi" }).frames;
    expect(replay(ollama, String(first)).failure?.message).toContain("broke off");
    expect(replay(ollama, bytes({})).failure?.details).toEqual({ emptyAnswer: true });
    expect(replay(ollama, `${first}{"error":"llama runner process has terminated"}\n`).failure).toMatchObject(
      {
        code: "UPSTREAM_ERROR",
        retryable: true,
      },
    );
    expect(replay(ollama, `${first}{"mess`).failure?.message).toContain("could not be read");
  });

  test("warns once if Ollama cut the prompt, and not for a prompt that is only short in tokens", () => {
    const read = (characters: number, inputTokens: number) => {
      const messages = [textMessage("u1", "user", "x".repeat(characters))];
      const stream = bytes({ text: "Hi", usage: { inputTokens } });
      return replay(ollama, stream, 4096, CONTEXT, { messages, tools: [] }).events.filter(
        ({ type }) => type === "warning",
      );
    };
    expect(read(40_000, 4_096)).toEqual([
      { type: "warning", code: "CONTEXT_CUT", message: expect.stringContaining("OLLAMA_NUM_CTX") },
    ]);
    expect(read(40_000, 7_000)).toEqual([]);
    expect(read(4_000, 100)).toEqual([]);
    expect(read(40_000, 0)).toEqual([]);
  });
});

describe("an error", () => {
  const failureOf = (status: number, error: string) =>
    ollama.failure({ status, headers: {} }, JSON.stringify({ error }), CONTEXT);

  test("says how to get a model that is missing", () => {
    for (const words of ["model 'qwen3:8b' not found", 'model "qwen3:8b" not found, try pulling it first'])
      expect(failureOf(404, words).publicMessage).toContain("ollama pull qwen3:8b");
    expect(failureOf(404, "404 page not found").publicMessage).not.toContain("ollama pull");
  });

  test("about memory is final and names the setting", () => {
    const failure = failureOf(500, "model requires more system memory (9.1 GiB) than is available (4.0 GiB)");
    expect(failure).toMatchObject({
      retryable: false,
      publicMessage: expect.stringContaining("OLLAMA_NUM_CTX"),
    });
  });

  test("about the context is understood", () => {
    const failure = failureOf(400, "the input length exceeds the context length");
    expect(failure.code).toBe("CONTEXT_TOO_LARGE");
  });
});
