import type { JsonSchema } from "../../src/protocol/json.ts";
import type { Message } from "../../src/protocol/messages.ts";
import { type ModelRequest, REASONING_EFFORTS } from "../../src/protocol/model.ts";
import { AWKWARD_TOOLS } from "./awkward-tools.ts";
import {
  type Asked,
  assistant,
  call,
  image,
  largeImage,
  result,
  system,
  thought,
  tool,
  user,
  WEATHER,
} from "./parts.ts";

/** A request that people, clients and the loop make, whatever the model. */
export interface Scenario {
  name: string;
  group: "plain" | "tools" | "awkward" | "history" | "images" | "parameters" | "format";
  build(asked: Asked): ModelRequest;
}

type Group = Scenario["group"];
type Made = Partial<ModelRequest> | ((asked: Asked) => Partial<ModelRequest>);

const SYSTEM = "You are a helpful assistant.";
const hello = user("Hello, what can you do?");
const weather = user("What is the weather in Oslo?");
const withTool = { messages: [weather], tools: [WEATHER] };

function group(name: Group, made: Record<string, Made>): Scenario[] {
  return Object.entries(made).map(([title, more]) => ({
    name: title,
    group: name,
    build: (asked) => {
      const { messages = [hello], ...rest } = typeof more === "function" ? more(asked) : more;
      return { system: SYSTEM, tools: [], ...rest, messages: messages.map(asIssued) };
    },
  }));
}

/** What each vendor's dialect stores with the parts of its own answers. */
const ISSUED: Record<string, readonly string[]> = {
  anthropic: ["signature", "redacted"],
  openai: ["item"],
  gemini: ["thoughtSignature"],
  openrouter: ["reasoning_details"],
};

/** Leaves only the metadata that the vendor of the message's model issues. */
function asIssued(message: Message): Message {
  const issued = ISSUED[message.model?.split("/")[0] ?? ""] ?? [];
  const parts = message.parts.map((part) => {
    if (part.type === "tool_result" || !part.metadata) return part;
    const kept = Object.entries(part.metadata).filter(([key]) => issued.includes(key));
    return { ...part, metadata: Object.fromEntries(kept) };
  });
  return { ...message, parts };
}

function said(messages: (asked: Asked) => Message[], more: Partial<ModelRequest> = {}): Made {
  return (asked) => ({ messages: messages(asked), tools: [WEATHER], ...more });
}

/** A turn with one call whose arguments are these. */
function called(args: string, id = "call_1"): Made {
  return said(({ model }) => [
    weather,
    assistant(model, call(id, args), result(id), "It is sunny."),
    user("And tomorrow?"),
  ]);
}

const plain = group("plain", {
  hello: {},
  "without a system prompt": { system: undefined },
  "a blank system prompt": { system: "  \n" },
  "a long system prompt": { system: `${SYSTEM} ${"Be kind. ".repeat(5_000)}` },
  "a long history": ({ model }) => ({
    messages: [
      ...Array.from({ length: 60 }, (_, at) =>
        at % 2 === 0 ? user(`Question ${at}`) : assistant(model, `Answer ${at}`),
      ),
      hello,
    ],
  }),
  "a long text": { messages: [user("All work and no play. ".repeat(20_000))] },
  "odd characters": {
    messages: [
      user(
        "Zalgo t̵e̶x̷t̸, \u202eright to left, \u0000 null, \u0007 bell, \ufeff mark, 👩‍👩‍👧‍👦 family, \u2028 line",
      ),
    ],
  },
  "a lone high surrogate": { messages: [user("cut off \ud83d")] },
  "a lone low surrogate": { messages: [user("\ude00 cut off")] },
  "a lone surrogate in the system prompt": { system: "Be kind \ud800." },
  "a lone surrogate in an answer": ({ model }) => ({
    messages: [hello, assistant(model, "half \udfff of it"), user("Go on")],
  }),
  "a lone surrogate in thoughts": ({ model }) => ({
    messages: [hello, assistant(model, thought("half \ud83d"), "Well."), user("Go on")],
  }),
  "an empty message": { messages: [user("")] },
  "a blank message": { messages: [user(" \n\t ")] },
  "an empty message in between": ({ model }) => ({
    messages: [hello, assistant(model, "Much."), user(""), user("Go on")],
  }),
  "empty and full parts": { messages: [user("", "Hello", " ", "there")] },
  "two messages in a row": { messages: [user("One."), user("Two.")] },
  "an answer that was empty": ({ model }) => ({
    messages: [hello, assistant(model), user("Are you there?")],
  }),
  "an answer that was blank": ({ model }) => ({
    messages: [hello, assistant(model, " \n"), user("Are you there?")],
  }),
  "answers in a row": ({ model }) => ({
    messages: [hello, assistant(model, "One."), assistant(model, "Two."), user("Go on")],
  }),
  "an answer first": ({ model }) => ({ messages: [assistant(model, "Welcome!"), hello] }),
  "an answer last": ({ model }) => ({ messages: [hello, assistant(model, "I can do")] }),
  "an answer last that ends in a space": ({ model }) => ({
    messages: [hello, assistant(model, "I can do ")],
  }),
  "a system message in between": ({ model }) => ({
    messages: [hello, assistant(model, "Much."), system("Be brief."), user("Go on")],
  }),
  "a system message last": ({ model }) => ({
    messages: [hello, assistant(model, "Much."), system("Be brief.")],
  }),
  "a system message first": { system: undefined, messages: [system("Be brief."), hello] },
  "only a system message": { messages: [system("Be brief.")] },
});

const tools = group("tools", {
  "one tool": withTool,
  "sixty tools": { tools: Array.from({ length: 60 }, (_, at) => tool(`tool_${at}`)) },
  "a hundred and forty tools": { tools: Array.from({ length: 140 }, (_, at) => tool(`tool_${at}`)) },
  "a name with a dot": { tools: [tool("browser.search"), tool("browser_search")] },
  "a long name": {
    tools: [tool(`mcp__${"server_".repeat(12)}read`), tool(`mcp__${"server_".repeat(12)}write`)],
  },
  "a name that begins with a digit": { tools: [tool("3d-model"), tool("-dash")] },
  "a name in another script": { tools: [tool("поиск"), tool("查询"), tool("a b/c:d")] },
  "the same name twice": { tools: [tool("search"), tool("search")] },
  "a tool without a description": { tools: [{ ...WEATHER, description: "" }] },
  "a tool with a long description": { tools: [{ ...WEATHER, description: "Long. ".repeat(2_000) }] },
  "a lone surrogate in a description": { tools: [{ ...WEATHER, description: "Weather \ud83c" }] },
  "strict tools": { tools: [{ ...WEATHER, strict: true }] },
  "a strict tool with optional parameters and a map": {
    tools: [
      {
        ...tool("note", {
          type: "object",
          properties: {
            title: { type: "string" },
            tags: { type: "object", additionalProperties: { type: "string" } },
          },
        }),
        strict: true,
      },
    ],
  },
  required: { ...withTool, toolChoice: "required" },
  "a named tool": { ...withTool, toolChoice: { tool: "get_weather" } },
  none: { ...withTool, toolChoice: "none" },
  auto: { ...withTool, toolChoice: "auto" },
  "a tool choice without tools": { toolChoice: "required" },
  "a named tool that is not offered": { ...withTool, toolChoice: { tool: "missing" } },
  "one call at a time": { ...withTool, parallelToolCalls: false },
  "one call at a time without tools": { parallelToolCalls: false },
  "required while thinking": { ...withTool, toolChoice: "required", reasoningEffort: "high" },
  "all awkward tools together": { tools: [...AWKWARD_TOOLS.values()] },
});

const awkward = [...AWKWARD_TOOLS].map(
  ([shape, spec]): Scenario => ({
    name: shape,
    group: "awkward",
    build: () => ({ system: SYSTEM, messages: [hello], tools: [WEATHER, spec] }),
  }),
);

const history = group("history", {
  "a call and its result": called('{"city":"Oslo"}'),
  "a call that waits for the next step": said(({ model }) => [
    weather,
    assistant(model, call("call_1", '{"city":"Oslo"}'), result("call_1")),
  ]),
  "parallel calls": said(({ model }) => [
    weather,
    assistant(
      model,
      "Looking.",
      call("call_1", '{"city":"Oslo"}'),
      call("call_2", '{"city":"Bergen"}'),
      result("call_2"),
      result("call_1"),
    ),
  ]),
  "twenty steps": said(({ model }) => [
    weather,
    assistant(
      model,
      ...Array.from({ length: 20 }, (_, at) => [
        thought(`Step ${at}`),
        call(`call_${at}`, `{"city":"${at}"}`),
        result(`call_${at}`),
      ]).flat(),
    ),
  ]),
  "arguments that were cut off": called('{"city":"Os'),
  "arguments that are empty": called(""),
  "arguments that are a list": called('["Oslo"]'),
  "arguments that are a string": called('"Oslo"'),
  "arguments that are null": called("null"),
  "arguments that are prose": called("I would like Oslo, please"),
  "arguments with a lone surrogate": called('{"city":"Oslo \\ud83d"}'),
  "arguments with a raw lone surrogate": called('{"city":"Oslo \ud83d"}'),
  "arguments with a prototype": called('{"__proto__":{"x":1},"city":"Oslo"}'),
  "a very long id": called('{"city":"Oslo"}', `call_${"x".repeat(90)}`),
  "an id with odd characters": called('{"city":"Oslo"}', "functions.get_weather:0"),
  "the same id in two turns": said(({ model }) => [
    weather,
    assistant(model, call("call_1", "{}"), result("call_1"), "Sunny."),
    weather,
    assistant(model, call("call_1", "{}"), result("call_1"), "Still sunny."),
    user("Thanks"),
  ]),
  "the same id twice in a step": said(({ model }) => [
    weather,
    assistant(
      model,
      call("call_1", "{}"),
      call("call_1", '{"city":"Oslo"}'),
      result("call_1"),
      result("call_1"),
    ),
  ]),
  "a call without a result": said(({ model }) => [
    weather,
    assistant(model, call("call_1", '{"city":"Oslo"}')),
    user("Never mind"),
  ]),
  "one of two results": said(({ model }) => [
    weather,
    assistant(model, call("call_1", "{}"), call("call_2", "{}"), result("call_1")),
    user("Never mind"),
  ]),
  "a result without a call": said(({ model }) => [
    weather,
    assistant(model, result("call_9"), "Sunny."),
    user("Thanks"),
  ]),
  "two results for a call": said(({ model }) => [
    weather,
    assistant(model, call("call_1", "{}"), result("call_1"), result("call_1", "Again.")),
  ]),
  "results in their own message": said(({ model }) => [
    weather,
    assistant(model, call("call_1", "{}")),
    assistant(model, result("call_1")),
    user("Thanks"),
  ]),
  "an empty result": said(({ model }) => [
    weather,
    assistant(model, call("call_1", "{}"), result("call_1", "")),
  ]),
  "a client's empty result": said(({ model }) => [
    weather,
    assistant(model, call("call_1", "{}"), result("call_1", "", { fromClient: true })),
  ]),
  "a failed result": said(({ model }) => [
    weather,
    assistant(
      model,
      call("call_1", "{}"),
      result("call_1", "", {
        success: false,
        error: { code: "UPSTREAM_TIMEOUT", status: 504, message: "Too slow." },
      }),
    ),
  ]),
  "a result with a lone surrogate": said(({ model }) => [
    weather,
    assistant(model, call("call_1", "{}"), result("call_1", "half \ud83d")),
  ]),
  "a client's result with a lone surrogate": said(({ model }) => [
    weather,
    assistant(model, call("call_1", "{}"), result("call_1", "\udc00", { fromClient: true })),
  ]),
  "a large result": said(({ model }) => [
    weather,
    assistant(model, call("call_1", "{}"), result("call_1", "line\n".repeat(30_000))),
  ]),
  "a person speaks right after a result": said(({ model }) => [
    weather,
    assistant(model, call("call_1", "{}"), result("call_1")),
    user("Stop, never mind"),
  ]),
  "a tool that is no longer offered": said(({ model }) => [
    weather,
    assistant(model, call("call_1", "{}", "old.tool"), result("call_1")),
    user("Thanks"),
  ]),
  "calls, and no tools offered": said(
    ({ model }) => [
      weather,
      assistant(model, call("call_1", "{}"), result("call_1"), "Sunny."),
      user("Thanks"),
    ],
    { tools: [] },
  ),
  "calls, and the choice none": said(
    ({ model }) => [weather, assistant(model, call("call_1", "{}"), result("call_1"))],
    { toolChoice: "none" },
  ),
  "a call without a name": said(({ model }) => [
    weather,
    assistant(model, call("call_1", "{}", ""), result("call_1")),
    user("Thanks"),
  ]),
  "a system message after a result": said(({ model }) => [
    weather,
    assistant(model, call("call_1", "{}"), result("call_1")),
    system("Be brief."),
    user("Thanks"),
  ]),
  "thoughts and an answer": said(({ model }) => [
    hello,
    assistant(model, thought("Hmm."), "Much."),
    user("Go on"),
  ]),
  "thoughts and a call": said(
    ({ model }) => [weather, assistant(model, thought("Hmm."), call("call_1", "{}"), result("call_1"))],
    { reasoningEffort: "high" },
  ),
  "thoughts without a signature": said(({ model }) => [
    hello,
    assistant(model, thought("Hmm.", {}), "Much."),
    user("Go on"),
  ]),
  "a call without its thoughts": said(
    ({ model }) => [weather, assistant(model, call("call_1", "{}", "get_weather", {}), result("call_1"))],
    { reasoningEffort: "high" },
  ),
  "only thoughts": said(({ model }) => [hello, assistant(model, thought("Hmm.")), user("Are you there?")]),
  "only thoughts, last": said(({ model }) => [hello, assistant(model, thought("Hmm."))]),
  "redacted thoughts": said(({ model }) => [
    hello,
    assistant(model, thought("", { redacted: "EmwKAhgB" }), "Much."),
    user("Go on"),
  ]),
  "an aborted turn": said(({ model }) => [
    weather,
    assistant(model, thought("Hm", {}), "I will lo", call("call_1", '{"ci')),
    user("Go on"),
  ]),
  "an aborted turn without text": said(({ model }) => [
    weather,
    assistant(model, thought("Hm", {})),
    user("Go on"),
  ]),
  "another model's answer": said(({ other }) => [
    hello,
    assistant(other, thought("Hmm."), "Much."),
    user("Go on"),
  ]),
  "another model's calls": said(({ other }) => [
    weather,
    assistant(
      other,
      thought("Hmm."),
      "Looking.",
      call("toolu_01A", '{"city":"Oslo"}'),
      result("toolu_01A"),
      "Sunny.",
    ),
    user("And tomorrow?"),
  ]),
  "another model's open step": said(
    ({ other }) => [weather, assistant(other, thought("Hmm."), call("call_1", "{}"), result("call_1"))],
    { reasoningEffort: "medium" },
  ),
  "two models in turn": said(({ model, other }) => [
    weather,
    assistant(other, call("call_1", "{}"), result("call_1"), "Sunny."),
    user("Sure?"),
    assistant(model, thought("Hmm."), call("call_2", "{}"), result("call_2"), "Yes."),
    user("Thanks"),
  ]),
});

const images = group("images", {
  "a PNG": { messages: [user("What is this?", image("png"))] },
  "a JPEG": { messages: [user("What is this?", image("jpeg"))] },
  "a JPEG called jpg": { messages: [user("What is this?", image("jpeg", "jpg"))] },
  "a WebP": { messages: [user("What is this?", image("webp"))] },
  "a GIF": { messages: [user("What is this?", image("gif"))] },
  "a BMP": { messages: [user("What is this?", image("bmp"))] },
  "an SVG": { messages: [user("What is this?", image("svg+xml"))] },
  "a HEIC": { messages: [user("What is this?", image("heic"))] },
  "an AVIF": { messages: [user("What is this?", image("avif"))] },
  "a TIFF": { messages: [user("What is this?", image("tiff"))] },
  "a PNG called JPEG": { messages: [user("What is this?", image("png", "jpeg"))] },
  "a WebP called PNG": { messages: [user("What is this?", image("webp", "png"))] },
  "an image without text": { messages: [user(image("png"))] },
  "an image with a blank text": { messages: [user(" ", image("png"))] },
  "an image by its address": {
    messages: [
      user("What is this?", { type: "image", mimeType: "image/png", url: "https://example.com/a.png" }),
    ],
  },
  "an image by an address that is not encrypted": {
    messages: [
      user("What is this?", { type: "image", mimeType: "image/png", url: "http://example.com/a.png" }),
    ],
  },
  "an image by a local address": {
    messages: [user("What is this?", { type: "image", mimeType: "image/png", url: "file:///a.png" })],
  },
  "an image that is gone": {
    messages: [user("What is this?", { type: "image", mimeType: "image/png", fileId: "file_1" })],
  },
  "an image without bytes": {
    messages: [user("What is this?", { type: "image", mimeType: "image/png", data: "" })],
  },
  "an image that is not base64": {
    messages: [user("What is this?", { type: "image", mimeType: "image/png", data: "<not base64>" })],
  },
  "an image of six megabytes": { messages: [user("What is this?", largeImage(6 * 1024 * 1024))] },
  "twenty-five images": {
    messages: [user("What are these?", ...Array.from({ length: 25 }, () => image("png")))],
  },
  "an image in an answer": ({ model }) => ({
    messages: [user("Draw a cat"), assistant(model, "Here.", image("png")), user("Now a dog")],
  }),
  "an image after a result": said(({ model }) => [
    weather,
    assistant(model, call("call_1", "{}"), result("call_1")),
    user("And this?", image("png")),
  ]),
});

const parameters = group("parameters", {
  "temperature 0": { temperature: 0 },
  "temperature 0.7": { temperature: 0.7 },
  "temperature 1.3": { temperature: 1.3 },
  "temperature 2": { temperature: 2 },
  "top p": { topP: 0.5 },
  "top p 0": { topP: 0 },
  "temperature and top p": { temperature: 0.5, topP: 0.5 },
  "one token": { maxOutputTokens: 1 },
  "ten tokens": { maxOutputTokens: 10 },
  "a thousand tokens": { maxOutputTokens: 1_000 },
  "a thousand tokens while thinking": { maxOutputTokens: 1_000, reasoningEffort: "high" },
  "a million tokens": { maxOutputTokens: 1_000_000 },
  "a stop sequence": { stop: ["END"] },
  "six stop sequences": { stop: ["1.", "2.", "3.", "4.", "5.", "6."] },
  "a blank stop sequence": { stop: ["\n", "END"] },
  "an empty stop sequence": { stop: ["", "END"] },
  "no stop sequences": { stop: [] },
  "a seed": { seed: 42 },
  "a large seed": { seed: 2 ** 53 - 1 },
  penalties: { frequencyPenalty: 0.5, presencePenalty: 0.5 },
  "penalties of zero": { frequencyPenalty: 0, presencePenalty: 0 },
  "short answers": { verbosity: "low" },
  "long answers": { verbosity: "high" },
  "a long cache key": { cacheKey: "session-".repeat(20) },
  ...Object.fromEntries(
    REASONING_EFFORTS.map((effort): [string, Made] => [`effort ${effort}`, { reasoningEffort: effort }]),
  ),
  "effort with temperature": { reasoningEffort: "high", temperature: 0.3 },
  "no effort with temperature": { reasoningEffort: "none", temperature: 0.3 },
  "effort with tools": { ...withTool, reasoningEffort: "medium" },
  "everything at once": {
    ...withTool,
    temperature: 0.4,
    topP: 0.9,
    maxOutputTokens: 500,
    stop: ["END"],
    seed: 7,
    frequencyPenalty: 0.1,
    presencePenalty: 0.1,
    parallelToolCalls: false,
    toolChoice: "auto",
    verbosity: "low",
    reasoningEffort: "low",
    cacheKey: "ses_1",
  },
});

const city: JsonSchema = {
  type: "object",
  properties: { name: { type: "string" }, people: { type: "integer" } },
  required: ["name", "people"],
};

function format(schema: JsonSchema | undefined, more: Partial<ModelRequest> = {}, strict?: boolean): Made {
  const messages = [user("Name a city.")];
  return {
    messages,
    ...more,
    responseFormat: {
      type: "json",
      ...(schema && { schema, name: "city" }),
      ...(strict !== undefined && { strict }),
    },
  };
}

const formats = group("format", {
  "any JSON": format(undefined),
  "a schema": format(city),
  "a strict schema": format({ ...city, additionalProperties: false }, {}, true),
  "a strict schema that is not closed": format(city, {}, true),
  "a schema with optional fields": format(
    {
      type: "object",
      properties: { name: { type: "string" }, note: { type: "string" } },
      required: ["name"],
    },
    {},
    true,
  ),
  "a schema with bounds": format({
    type: "object",
    properties: {
      n: { type: "integer", minimum: 1, maximum: 9 },
      s: { type: "string", minLength: 2, pattern: "^a" },
      l: { type: "array", items: { type: "string" }, minItems: 2, maxItems: 3, uniqueItems: true },
    },
    required: ["n", "s", "l"],
  }),
  "a schema with references": format({
    type: "object",
    properties: { a: { $ref: "#/$defs/City" } },
    required: ["a"],
    $defs: { City: city },
  }),
  "a schema with alternatives": format({
    type: "object",
    properties: { a: { oneOf: [{ type: "string" }, city] } },
    required: ["a"],
  }),
  "alternatives in a strict schema": format(
    {
      type: "object",
      properties: { a: { oneOf: [{ type: "string", minLength: 1 }, { type: "number" }] } },
      required: ["a"],
      additionalProperties: false,
    },
    {},
    true,
  ),
  "a nullable object in a strict schema": format(
    {
      type: "object",
      properties: { a: { type: ["object", "null"], properties: { b: { type: "string" } } } },
      required: ["a"],
      additionalProperties: false,
    },
    {},
    true,
  ),
  "alternatives at the top of a schema": format({ ...city, anyOf: [{ required: ["name"] }] }),
  "a union for a schema": format({ anyOf: [city, { type: "object", properties: { b: city } }] }, {}, true),
  "a schema of an older draft": format({
    type: "object",
    properties: {
      n: { type: "integer", minimum: 0, exclusiveMinimum: true },
      pair: { type: "array", items: [{ type: "string" }, { type: "number" }] },
      list: { type: "array" },
      a: { $ref: "#/definitions/City", description: "The city." },
    },
    definitions: { City: city },
  }),
  "a schema that refers to itself": format(
    {
      type: "object",
      properties: { children: { type: "array", items: { $ref: "#" } } },
      required: ["children"],
      additionalProperties: false,
    },
    {},
    true,
  ),
  "a schema, and an answer last": ({ model }) => ({
    messages: [user("Name a city."), assistant(model, "{")],
    responseFormat: { type: "json", schema: city, name: "city" },
  }),
  "any JSON, asked for by the system": {
    messages: [system("Answer in JSON."), user("Name a city.")],
    responseFormat: { type: "json" },
  },
  "a schema for a list": format({ type: "array", items: city }),
  "a schema without a type": format({ properties: { a: { type: "string" } } }),
  "a schema with a map": format({
    type: "object",
    properties: { map: { type: "object", additionalProperties: { type: "number" } } },
    required: ["map"],
  }),
  "a schema with a dialect": format({
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "city",
    ...city,
  }),
  "a schema with an odd name": {
    messages: [user("Name a city.")],
    responseFormat: { type: "json", schema: city, name: "my city (v2)" },
  },
  "a schema with tools": format(city, { tools: [WEATHER] }),
  "any JSON with tools": format(undefined, { tools: [WEATHER] }),
  "a schema while thinking": format(city, { reasoningEffort: "high" }),
  "a schema with a result": (asked) => ({
    messages: [weather, assistant(asked.model, call("call_1", "{}"), result("call_1"))],
    tools: [WEATHER],
    responseFormat: { type: "json", schema: city, name: "city" },
  }),
  "a schema with a stop sequence": format(city, { stop: ["END"] }),
  "a schema without a system prompt": format(city, { system: undefined }),
});

/** Every scenario. A name is unique within its group. */
export const SCENARIOS: readonly Scenario[] = [
  ...plain,
  ...tools,
  ...awkward,
  ...history,
  ...images,
  ...parameters,
  ...formats,
];
