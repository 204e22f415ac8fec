import { Failure } from "../../protocol/failure.ts";
import { isObject, parseJson } from "../../protocol/json.ts";
import { type Message, type Part, type ToolCallPart, textMessage } from "../../protocol/messages.ts";
import type { ModelEvent, ModelInfo, ModelRequest, ToolSpec, Usage } from "../../protocol/model.ts";

/** What a model answered to one request of a probe. */
export interface ProbeAnswer {
  text: string;
  reasoning: string;
  calls: ToolCallPart[];
  parts: Part[];
  /** How many pieces of text came. */
  pieces: number;
  usage: Usage | undefined;
  reason: string;
}

export interface Ask {
  /** Sends a request. Throws the `Failure` that it ended in. */
  (
    request: Omit<ModelRequest, "tools"> & { tools?: ToolSpec[] },
    onEvent?: (event: ModelEvent) => void,
  ): Promise<ProbeAnswer>;
  /** Sends a request and stops it at its first words. Returns how long it took to stop, or undefined if it ended first. */
  untilFirstWords(request: Omit<ModelRequest, "tools">): Promise<number | undefined>;
}

/** The smallest requests that show whether one ability works. */
export interface Probe {
  name: string;
  requests: number;
  /** About how many tokens the requests have. */
  inputTokens: number;
  /** The most tokens of each answer. */
  maxOutputTokens: number;
  /** False if the model is not said to have the ability. */
  offered(model: ModelInfo): boolean;
  /** Returns what came back, in a few words. Throws the `Failure` of a request. */
  run(ask: Ask, model: string): Promise<string>;
}

const TOOL: ToolSpec = {
  name: "get_time",
  description: "Returns the current time in a time zone.",
  parameters: {
    type: "object",
    properties: { timeZone: { type: "string", description: "IANA time zone, such as Europe/Berlin" } },
    required: ["timeZone"],
    additionalProperties: false,
  },
};

/** A red square, 64 by 64 pixels. */
const RED_SQUARE =
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsIty/dMYyQi+hcEKLNO+FgEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQGBywI6LQEAwyG+sAAAAABJRU5ErkJggg==";

/** Vendors cache prompts from 1,024 tokens on, some only from 4,096 on. */
const LONG_TEXT = Array.from(
  { length: 270 },
  (_, index) => `Rule ${index + 1}: item ${(index * 7919) % 997} belongs on shelf ${(index * 31) % 89}.`,
).join("\n");

/** Thinking counts as output with many vendors, so an answer needs more room than its words. */
const SHORT = 512;

function user(text: string): Message {
  return textMessage("question", "user", text);
}

const always = () => true;

/** Every ability that is checked, in the order of the table. */
export const PROBES: readonly Probe[] = [
  {
    name: "streaming",
    requests: 1,
    inputTokens: 30,
    maxOutputTokens: SHORT,
    offered: always,
    async run(ask) {
      const { pieces, text, reason } = await ask({
        messages: [user("Write one short sentence about the sea.")],
      });
      if (text === "") return `no text (${reason})`;
      return `${pieces} ${pieces === 1 ? "piece" : "pieces"} of text`;
    },
  },
  {
    name: "tools",
    requests: 2,
    inputTokens: 400,
    maxOutputTokens: SHORT,
    offered: ({ supportsTools }) => supportsTools !== false,
    run: (ask, model) => callTools(ask, model, "What time is it in Paris? Use the tool."),
  },
  {
    name: "parallel tools",
    requests: 2,
    inputTokens: 500,
    maxOutputTokens: SHORT,
    offered: ({ supportsTools }) => supportsTools !== false,
    run: (ask, model) =>
      callTools(
        ask,
        model,
        "What time is it in Paris and what time is it in Tokyo? Call the tool for both at once.",
      ),
  },
  {
    name: "images",
    requests: 1,
    inputTokens: 600,
    maxOutputTokens: SHORT,
    offered: ({ supportsImages }) => supportsImages === true,
    async run(ask) {
      const parts: Part[] = [
        { type: "text", text: "Which color is this square? Answer with one word." },
        { type: "image", mimeType: "image/png", data: RED_SQUARE },
      ];
      const { text } = await ask({ messages: [{ id: "question", role: "user", parts }] });
      return `it says: ${brief(text)}`;
    },
  },
  {
    name: "reasoning",
    requests: 1,
    inputTokens: 40,
    maxOutputTokens: 2_048,
    offered: ({ reasoning }) => reasoning !== undefined,
    async run(ask) {
      const messages = [user("Which number is larger, 9.11 or 9.9? Answer with the number.")];
      const { reasoning, usage } = await ask({ messages, reasoningEffort: "low" });
      const tokens = usage?.reasoningTokens;
      if (tokens) return `${tokens} tokens of reasoning${reasoning ? ", shown" : ""}`;
      return reasoning ? `${reasoning.length} characters of reasoning` : "no reasoning came";
    },
  },
  {
    name: "structured output",
    requests: 1,
    inputTokens: 120,
    maxOutputTokens: SHORT,
    offered: always,
    async run(ask) {
      const schema = {
        type: "object",
        properties: { city: { type: "string" }, country: { type: "string" } },
        required: ["city", "country"],
        additionalProperties: false,
      };
      const { text } = await ask({
        messages: [user("Which city is the capital of France? Answer as JSON with city and country.")],
        responseFormat: { type: "json", name: "capital", schema, strict: true },
      });
      const value = parseJson(text);
      if (isObject(value) && typeof value.city === "string") return "JSON that fits the schema";
      throw new Failure("UPSTREAM_ERROR", `Not the JSON that was asked for: ${brief(text)}`);
    },
  },
  {
    name: "caching",
    requests: 2,
    inputTokens: 11_000,
    maxOutputTokens: SHORT,
    offered: always,
    async run(ask) {
      const system = `You know these rules:\n${LONG_TEXT}`;
      const request = { system, messages: [user("Reply with the word ready.")], cacheKey: "tackle-check" };
      await ask(request);
      const { usage } = await ask(request);
      const cached = usage?.cachedTokens ?? 0;
      return cached > 0
        ? `${cached} of ${usage?.inputTokens} tokens from the cache`
        : "no cached tokens reported";
    },
  },
  {
    name: "cancel",
    requests: 1,
    inputTokens: 30,
    maxOutputTokens: SHORT,
    offered: always,
    async run(ask) {
      const messages = [user("Count from 1 to 150 in words.")];
      const ms = await ask.untilFirstWords({ messages });
      return ms === undefined ? "the answer ended first" : `stopped within ${Math.max(1, Math.round(ms))} ms`;
    },
  },
];

async function callTools(ask: Ask, model: string, question: string): Promise<string> {
  const messages = [user(question)];
  const first = await ask({ messages, tools: [TOOL], toolChoice: "auto" });
  const { calls } = first;
  if (calls.length === 0) return `the model made no call (${first.reason})`;
  const results = calls.map(
    ({ id, name }): Part => ({
      type: "tool_result",
      toolCallId: id,
      toolName: name,
      success: true,
      output: "It is 12:00.",
      trust: "trusted",
    }),
  );
  const parts = [...first.parts, ...results];
  const answered: Message = { id: "answer", role: "assistant", parts, model };
  await ask({ messages: [...messages, answered], tools: [TOOL], toolChoice: "auto" });
  return calls.length === 1
    ? "one call, and its result was read"
    : `${calls.length} calls at once, results were read`;
}

function brief(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
