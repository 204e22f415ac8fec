import { afterAll, describe, expect, test } from "vitest";
import type { JsonSchema } from "../../protocol/json.ts";
import { textMessage } from "../../protocol/messages.ts";
import type { ModelEvent, ModelInfo, ToolSpec } from "../../protocol/model.ts";
import type { Provider } from "../../protocol/provider.ts";
import { anthropicTurn } from "../../sim/testing/anthropic-turn.ts";
import { geminiTurn } from "../../sim/testing/gemini-turn.ts";
import { ollamaTurn } from "../../sim/testing/ollama-turn.ts";
import { responsesTurn } from "../../sim/testing/responses-turn.ts";
import { findProblems, type Vendor } from "../../sim/testing/rules/find-problems.ts";
import { startUpstream } from "../../sim/testing/upstream.ts";
import type { Turn } from "../../sim/turn.ts";
import { chatTurn, jsonTurn, type ScriptedAnswer } from "../../sim/turns.ts";
import { readProviders } from "../read-providers.ts";
import { createTransport } from "../transport.ts";
import { DIALECTS } from "./dialects.ts";
import { createModel } from "./exchange.ts";
import { lowerSchema } from "./schemas/lower.ts";
import { profileOf } from "./schemas/profiles.ts";
import { AWKWARD_SCHEMAS, type AwkwardSchema } from "./testing/awkward-schemas.ts";
import { summarize } from "./testing/replay.ts";

const TURNS: Record<string, (answer: ScriptedAnswer) => Turn> = {
  "openai-responses": responsesTurn,
  "anthropic-messages": anthropicTurn,
  gemini: geminiTurn,
  ollama: ollamaTurn,
};
const providers = (await readProviders()).filter(({ id }) => id !== "demo");
const upstream = await startUpstream();
const transport = createTransport();
let accepted = 0;

afterAll(async () => {
  await upstream.close();
  await transport.close();
  console.log(`awkward tools: ${accepted} of ${AWKWARD_SCHEMAS.length * vendors.length} turns work`);
});

/** The best model of each dialect that a vendor has. */
const vendors = providers.flatMap((provider) => {
  const models: readonly ModelInfo[] = [...provider.models, { name: "unknown", ...provider.unknownModel }];
  const byDialect = new Map<string, ModelInfo>();
  for (const model of models.filter(({ supportsTools }) => supportsTools !== false)) {
    const dialect = typeof provider.dialect === "string" ? provider.dialect : provider.dialect(model.name);
    if (!byDialect.has(dialect)) byDialect.set(dialect, model);
  }
  return [...byDialect].map(([dialect, model]) => ({
    name: `${provider.id}/${model.name}`,
    provider,
    dialect,
    model,
  }));
});

/** The vendor checks the request, calls the tool with arguments in its own words, and then answers. */
async function takeTurn(
  provider: Provider,
  dialectId: string,
  modelInfo: ModelInfo,
  shape: AwkwardSchema,
  strict: boolean,
) {
  const dialect = DIALECTS[dialectId];
  if (!dialect) throw new Error(`no dialect ${dialectId}`);
  const { schema, args } = shape;
  const tool: ToolSpec = {
    name: "get.it",
    description: "Gets it.",
    parameters: schema as JsonSchema,
    ...(strict && { strict }),
  };
  const lowered = lowerSchema(schema, profileOf(provider.quirks.schemas, dialectId), strict);
  const wire: unknown = "reason" in lowered ? {} : JSON.parse(lowered.toWire(JSON.stringify(args)));
  const turn = TURNS[dialectId] ?? chatTurn;
  const found: string[] = [];
  upstream.respond((request) => {
    const vendor = (provider.id === "openai-compatible" ? "compatible" : provider.id) as Vendor;
    const problems = findProblems(vendor, request);
    found.push(...problems.map(({ rule, message }) => `${rule}: ${message}`));
    const [problem] = problems;
    if (problem) return jsonTurn(problem.errorBody, problem.status);
    const again = /function_call_output|tool_result|functionResponse|"role":"tool"/.test(
      JSON.stringify(request.body),
    );
    return again ? turn({ text: "Done." }) : turn({ calls: [{ name: "get_it", arguments: wire }] });
  });
  const model = createModel({ provider, modelInfo, dialect, baseUrl: upstream.url, key: "k", transport });
  const question = textMessage("u1", "user", "Hi");
  const ask = async (messages = [question]) => {
    const events: ModelEvent[] = [];
    const { signal } = new AbortController();
    await model.stream({ messages, tools: [tool] }, (event) => events.push(event), signal);
    const { failure, ...read } = summarize(events);
    if (failure) throw failure;
    return read;
  };
  const { calls } = await ask();
  const results = calls.map(({ id, name }) => ({
    type: "tool_result" as const,
    toolCallId: id,
    toolName: name,
    success: true,
    output: "It.",
    trust: "trusted" as const,
  }));
  const { text } = await ask([
    question,
    { id: "a1", role: "assistant", parts: [...calls, ...results], model: model.id },
  ]);
  return { found, calls, text };
}

describe.each(vendors)("$name", ({ provider, dialect, model }) => {
  test.each(AWKWARD_SCHEMAS)("takes a tool with $name, and calls it as it wants", async (shape) => {
    const exact = profileOf(provider.quirks.schemas, dialect).strictFormats !== undefined;
    for (const strict of exact ? [false, true] : [false]) {
      const { found, calls, text } = await takeTurn(provider, dialect, model, shape, strict);
      expect(found).toEqual([]);
      expect(calls.map(({ name, arguments: args }) => [name, args])).toEqual([
        ["get.it", JSON.stringify(shape.args)],
      ]);
      expect(text).toBe("Done.");
    }
    accepted++;
  });
});
