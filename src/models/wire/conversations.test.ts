import { expect, test } from "vitest";
import { type Message, type Part, textMessage, unfoldMessage } from "../../protocol/messages.ts";
import type { ModelInfo } from "../../protocol/model.ts";
import { mergeInfo, type Provider } from "../../protocol/provider.ts";
import { findProblems, type Vendor } from "../../sim/testing/rules/find-problems.ts";
import { readProviders } from "../read-providers.ts";
import { DIALECTS } from "./dialects.ts";
import { conversations, seeded } from "./testing/conversations.ts";

const SEED = 20_261_116;
const ROUNDS = 40;
const RULES: Readonly<Record<string, Vendor>> = { "openai-compatible": "compatible" };
const TOOLS = [
  {
    name: "look",
    description: "Looks at something.",
    parameters: {
      type: "object",
      properties: { at: { type: "string" } },
      required: ["at"],
      additionalProperties: false,
    },
  },
];
/** Models that nobody knows yet. */
const FUTURE: Readonly<Record<string, string>> = {
  openai: "gpt-7",
  anthropic: "claude-opus-6",
  gemini: "gemini-4-flash",
  mistral: "mistral-large-2701",
  openrouter: "anthropic/claude-sonnet-6",
  xai: "grok-6",
  deepseek: "deepseek-v5-pro",
  groq: "qwen/qwen4",
  zai: "glm-6",
};

const providers = (await readProviders()).filter(({ id }) => id !== "demo");
const models = providers.flatMap((provider) => {
  const name = FUTURE[provider.id] ?? "new-model";
  const unknown = { ...mergeInfo(provider.unknownModel, provider.family?.(name)), name };
  return [...provider.models, unknown].map((model) => ({ provider, model }));
});

/** Encodes a conversation as the vendor gets it, and returns the rules that it breaks. */
function brokenRules(
  { provider, model }: { provider: Provider; model: ModelInfo },
  messages: Message[],
): string[] {
  const id = dialectOf(provider, model);
  const dialect = DIALECTS[id];
  if (!dialect || id === "openai-images") return [];
  const quirks = { ...provider.quirks, ...model.quirks };
  const context = { model, modelId: `${provider.id}/${model.name}`, quirks, label: provider.label };
  const {
    path,
    body,
    headers = {},
  } = dialect.encode({ system: "Be \ud800 brief.", messages, tools: TOOLS }, context);
  const text = JSON.stringify(body);
  const vendor = RULES[provider.id] ?? (provider.id as Vendor);
  const request = { path: `/v1${path}`, headers, body: JSON.parse(text), text };
  return findProblems(vendor, request)
    .filter(({ rule }) => rule !== "retired-model" && rule !== "tools-unsupported")
    .map(({ rule, at, message }) => `${rule} at ${at}: ${message}`);
}

function dialectOf(provider: Provider, model: ModelInfo): string {
  return typeof provider.dialect === "string" ? provider.dialect : provider.dialect(model.name);
}

test.each(models.map((one) => [`${one.provider.id}/${one.model.name}`, one] as const))(
  "%s accepts the next request after any conversation",
  (id, one) => {
    for (let round = 0; round < ROUNDS; round++) {
      const make = conversations(seeded(SEED + round), {
        model: id,
        dialect: dialectOf(one.provider, one.model),
      });
      const messages = round % 2 === 0 ? make.session() : make.fromClient();
      const broken = brokenRules(one, messages);
      expect(broken, broken.length > 0 ? `round ${round}: ${JSON.stringify(messages)}` : "").toEqual([]);
    }
  },
);

test.each(models.map((one) => [`${one.provider.id}/${one.model.name}`, one] as const))(
  "%s accepts messages that were sent into runs",
  (id, one) => {
    const call: Part = { type: "tool_call", id: "call_1", name: "look", arguments: '{"at":"it"}' };
    const result: Part = {
      type: "tool_result",
      toolCallId: "call_1",
      toolName: "look",
      success: true,
      output: "seen",
      trust: "trusted",
    };
    const sent = (messageId: string): Part => ({ type: "text", text: `Also ${messageId}.`, messageId });
    const said: Part = { type: "text", text: "Done." };
    const whole = [call, result, sent("m1"), sent("m2"), said, sent("m3"), said];
    const answer = (parts: Part[]): Message => ({ id: "a", role: "assistant", model: id, parts });
    const question = textMessage("q", "user", "Look.");
    // As later turns send it, behind results, behind a text, and where the model was interrupted before it said anything.
    const ends = [[...whole, said], [call, result, sent("m1")], [said, sent("m1")], [sent("m1")]];
    for (const [at, parts] of ends.entries()) {
      const messages = [question, answer(parts), ...(at === 0 ? [textMessage("n", "user", "And?")] : [])];
      expect(brokenRules(one, messages.flatMap(unfoldMessage))).toEqual([]);
    }
  },
);
