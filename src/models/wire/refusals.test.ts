import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Message, textMessage } from "../../protocol/messages.ts";
import type { ModelEvent, ModelInfo, ModelRequest } from "../../protocol/model.ts";
import { defineProvider } from "../../protocol/provider.ts";
import { createTransport } from "../transport.ts";
import { DIALECTS } from "./dialects.ts";
import { createModel } from "./exchange.ts";
import type { Transport } from "./transport.ts";

type Body = Record<string, unknown>;
/** Returns the error to answer with, or undefined to accept the request. */
type Vendor = (body: Body) => { status?: number; error: unknown } | undefined;

let server: Server;
let vendor: Vendor;
let bodies: Body[];
let transport: Transport;

const ANSWERS: Record<string, object> = {
  "openai-chat": { choices: [{ message: { content: "Hi." }, finish_reason: "stop" }] },
  "openai-responses": {
    status: "completed",
    output: [{ type: "message", content: [{ type: "output_text", text: "Hi." }] }],
  },
  "anthropic-messages": { content: [{ type: "text", text: "Hi." }], stop_reason: "end_turn" },
  gemini: { candidates: [{ content: { parts: [{ text: "Hi." }] }, finishReason: "STOP" }] },
};

beforeEach(async () => {
  bodies = [];
  transport = createTransport();
  server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text) as Body;
    bodies.push(body);
    const refused = vendor(body);
    const dialect = request.url?.split("/")[1] ?? "";
    response.writeHead(refused ? (refused.status ?? 400) : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(refused ? refused.error : ANSWERS[dialect]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  await transport.close();
  server.closeAllConnections();
  server.close();
});

async function ask(
  dialectId: string,
  request: Partial<ModelRequest>,
  { key = "k", ...info }: Partial<ModelInfo> & { key?: string } = {},
) {
  const dialect = DIALECTS[dialectId];
  if (!dialect) throw new Error(dialectId);
  const provider = defineProvider({
    id: "vendor",
    label: "Vendor",
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${dialectId}`,
    baseUrlSetting: "X",
    dialect: dialectId,
    models: [],
    unknownModel: {},
    quirks: {},
  });
  const model = createModel({ provider, modelInfo: { name: "m", ...info }, dialect, key, transport });
  const events: ModelEvent[] = [];
  await model.stream(
    { messages: [textMessage("u", "user", "Hi")], tools: [], ...request },
    (event) => events.push(event),
    new AbortController().signal,
  );
  return events;
}

const endOf = (events: ModelEvent[]) => events.at(-1)?.type;
const warningsOf = (events: ModelEvent[]) => events.filter(({ type }) => type === "warning");

function fieldAt(body: Body | undefined, path: string): unknown {
  let value: unknown = body;
  for (const step of path.split(".")) value = (value as Body | undefined)?.[step];
  return value;
}

const settings: Partial<ModelRequest> = {
  temperature: 0.2,
  topP: 0.9,
  seed: 7,
  presencePenalty: 0.1,
  frequencyPenalty: 0.1,
  maxOutputTokens: 50,
  reasoningEffort: "high",
  verbosity: "low",
  parallelToolCalls: false,
  tools: [{ name: "look", description: "l", parameters: { type: "object", properties: {} } }],
};
const openai = (message: string, param: string | null = null, code: string | null = null) => ({
  error: { message, type: "invalid_request_error", param, code },
});
const claude = (message: string) => ({ type: "error", error: { type: "invalid_request_error", message } });
const google = (message: string) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } });

/** The refusals of vendors as they word them. */
const WORDS: [dialect: string, error: object, path: string, info?: Partial<ModelInfo>][] = [
  [
    "openai-chat",
    openai("Unsupported parameter: 'top_p' is not supported with this model.", "top_p"),
    "top_p",
  ],
  [
    "openai-chat",
    openai(
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      "temperature",
      "unsupported_value",
    ),
    "temperature",
  ],
  ["openai-chat", { error: "Argument not supported on this model: presencePenalty" }, "presence_penalty"],
  ["openai-chat", { error: "Model m does not support parameter frequencyPenalty." }, "frequency_penalty"],
  ["openai-chat", openai("property 'seed' is unsupported"), "seed"],
  [
    "openai-chat",
    { detail: [{ type: "extra_forbidden", loc: ["body", "seed"], msg: "Extra inputs are not permitted" }] },
    "seed",
  ],
  [
    "openai-chat",
    {
      object: "error",
      message: { detail: [{ loc: ["body", "stream_options"], msg: "Extra inputs are not permitted" }] },
    },
    "stream_options",
  ],
  ["openai-chat", openai("`parallel_tool_calls` is not allowed for this model"), "parallel_tool_calls"],
  ["openai-chat", openai("Unrecognized request argument supplied: seed"), "seed"],
  [
    "openai-chat",
    openai("[] is too short - 'messages'. Unknown field: verbosity"),
    "verbosity",
    { supportsVerbosity: true },
  ],
  ["openai-responses", openai("Unsupported parameter: 'temperature'", "temperature"), "temperature"],
  [
    "openai-responses",
    openai(
      "Your organization must be verified to generate reasoning summaries.",
      "reasoning.summary",
      "unsupported_value",
    ),
    "reasoning.summary",
    { reasoning: "effort" },
  ],
  [
    "openai-responses",
    openai(
      "Unsupported value: 'high' is not supported with this model.",
      "reasoning.effort",
      "unsupported_value",
    ),
    "reasoning.effort",
    { reasoning: "effort" },
  ],
  [
    "openai-responses",
    openai("Encrypted content is not supported with this model.", "include"),
    "include",
    { reasoning: "effort" },
  ],
  ["anthropic-messages", claude("`temperature` is deprecated for this model."), "temperature"],
  ["anthropic-messages", claude("temperature: Extra inputs are not permitted"), "temperature"],
  [
    "anthropic-messages",
    claude("This model does not support the effort parameter."),
    "output_config.effort",
    { reasoning: "adaptive" },
  ],
  [
    "anthropic-messages",
    claude("adaptive thinking is not supported on this model"),
    "thinking",
    { reasoning: "adaptive" },
  ],
  [
    "gemini",
    google("Invalid JSON payload received. Unknown name \"seed\" at 'generation_config': Cannot find field."),
    "generationConfig.seed",
  ],
  [
    "gemini",
    google("Thinking budget is not supported for this model"),
    "generationConfig.thinkingConfig",
    { reasoning: "budget" },
  ],
];

describe("a parameter that a vendor refuses by name", () => {
  it.each(WORDS)("is dropped, and the turn goes on: %s %j", async (dialect, error, path, info) => {
    vendor = (body) => (fieldAt(body, path) === undefined ? undefined : { error });
    expect(endOf(await ask(dialect, settings, info))).toBe("finish");
    expect(bodies).toHaveLength(2);
    const [first, second] = bodies;
    expect(fieldAt(first, path)).toBeDefined();
    expect(Object.keys(second ?? {}).length).toBeGreaterThan(2);
    expect(endOf(await ask(dialect, settings, info))).toBe("finish");
    expect(bodies).toHaveLength(3);
  });

  it("is remembered for that key alone", async () => {
    vendor = ({ seed }) =>
      seed === undefined ? undefined : { error: openai("property 'seed' is unsupported") };
    for (const key of ["one", "one", "two", "two"]) await ask("openai-chat", { seed: 1 }, { key });
    expect(bodies.map((body) => "seed" in body)).toEqual([true, false, false, true, false, false]);
  });

  it("is remembered with its value if only that is refused", async () => {
    vendor = ({ reasoning_effort: effort }) =>
      effort === "high" ? { error: openai("reasoning_effort: 'high' is not supported") } : undefined;
    for (const reasoningEffort of ["high", "high", "low"] as const)
      await ask("openai-chat", { reasoningEffort }, { reasoning: "effort" });
    expect(bodies.map((body) => body.reasoning_effort)).toEqual(["high", undefined, undefined, "low"]);
  });

  it("leads to a warning if a person can have asked for it, and only then", async () => {
    vendor = (body) => {
      const name = ["stream_options", "seed"].find((field) => field in body);
      return name === undefined ? undefined : { error: openai(`Unknown parameter: '${name}'.`, name) };
    };
    expect(warningsOf(await ask("openai-chat", { seed: 1 }))).toEqual([
      {
        type: "warning",
        code: "PARAMETER_LEFT_OUT",
        message: "Vendor does not accept “seed” for m, so it was left out.",
      },
    ]);
  });

  it("is renamed if the vendor names its new name", async () => {
    vendor = (body) =>
      "max_tokens" in body
        ? {
            error: openai(
              "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
              "max_tokens",
            ),
          }
        : undefined;
    await ask("openai-chat", { maxOutputTokens: 5 });
    expect(bodies.at(-1)).toMatchObject({ max_completion_tokens: 5 });
  });

  it("is dropped with others, one after the other, but not without end", async () => {
    const names = ["temperature", "top_p", "seed"];
    vendor = (body) => {
      const name = names.find((field) => field in body);
      return name === undefined ? undefined : { error: openai(`Unknown parameter: '${name}'.`, name) };
    };
    expect(endOf(await ask("openai-chat", settings))).toBe("finish");
    expect(bodies).toHaveLength(4);
    names.push(
      "presence_penalty",
      "frequency_penalty",
      "max_tokens",
      "max_completion_tokens",
      "stream_options",
    );
    expect(endOf(await ask("openai-chat", settings))).toBe("failure");
    expect(bodies).toHaveLength(9);
  });

  it.each([
    ["openai-chat", 400, openai("Your messages are invalid")],
    ["openai-chat", 500, openai("Unsupported parameter: 'temperature'", "temperature")],
    ["anthropic-messages", 400, claude("max_tokens: must be at least 1")],
    ["anthropic-messages", 400, claude("messages.0.content.0: `temperature` is not permitted")],
    ["gemini", 400, google("Unknown name x")],
  ])("is not looked for in other errors: %s %i %j", async (dialect, status, error) => {
    vendor = () => ({ status, error });
    expect(endOf(await ask(dialect, settings))).toBe("failure");
    for (const body of bodies) expect(JSON.stringify(body)).toContain('"temperature":0.2');
  });
});

describe("what a conversation carries and a vendor refuses", () => {
  const said = (metadata: Record<string, string>): Message[] => [
    textMessage("u1", "user", "Hi"),
    {
      id: "a",
      role: "assistant",
      model: "vendor/m",
      parts: [
        { type: "reasoning", text: "Hm", metadata },
        { type: "text", text: "A", metadata },
      ],
    },
    textMessage("u2", "user", "And?"),
  ];

  it.each([
    [
      "anthropic-messages",
      "signature",
      claude("messages.1.content.0: Invalid `signature` in `thinking` block"),
    ],
    ["gemini", "thoughtSignature", google("Thought signature is not valid")],
  ])("goes without it, and the next conversation is not affected: %s", async (dialect, name, error) => {
    vendor = (body) => (JSON.stringify(body).includes(`"${name}"`) ? { error } : undefined);
    expect(endOf(await ask(dialect, { messages: said({ [name]: "old" }) }))).toBe("finish");
    vendor = () => undefined;
    await ask(dialect, { messages: said({ [name]: "new" }) });
    expect(bodies.map((body) => JSON.stringify(body).includes(`"${name}"`))).toEqual([true, false, true]);
  });

  it.each([
    [
      404,
      openai(
        "Previous response with id 'resp_1' not found.",
        "previous_response_id",
        "previous_response_not_found",
      ),
    ],
    [400, openai("Unsupported parameter: 'previous_response_id'")],
  ])("is sent whole if the vendor lost the previous answer (38): %i", async (status, error) => {
    vendor = (body) => ("previous_response_id" in body ? { status, error } : undefined);
    const request = { messages: said({ responseId: "resp_1" }) };
    const storing = { quirks: { store: true } };
    expect(endOf(await ask("openai-responses", request, storing))).toBe("finish");
    expect(bodies.map(({ input }) => (input as unknown[]).length)).toEqual([1, 3]);
    await ask("openai-responses", request, storing);
    expect(bodies.map((body) => "previous_response_id" in body)).toEqual([true, false, true, false]);
  });
});
