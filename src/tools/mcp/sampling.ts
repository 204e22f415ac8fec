import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { z } from "zod";
import { cleanText } from "../../protocol/clean-text.ts";
import { type Message, textOf } from "../../protocol/messages.ts";
import type { ToolContext } from "../../protocol/tool.ts";

const block = z.looseObject({ type: z.string(), text: z.string().optional() });
const request = z.looseObject({
  messages: z
    .array(z.looseObject({ role: z.enum(["user", "assistant"]), content: z.union([block, z.array(block)]) }))
    .min(1)
    .max(100),
  systemPrompt: z.string().max(20_000).optional(),
  maxTokens: z.number().int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
});

const ALLOW = "Allow once";
const DENY = "Deny";
const MAX_SHOWN = 2_000;
const MAX_CHARACTERS = 100_000;
const MAX_OUTPUT_TOKENS = 8_000;
/** The code that the specification has for a person who says no. */
const REJECTED = -1;

/** Asks a model on behalf of a server, if the person allows it after having seen what is asked. */
export async function sample(server: string, params: unknown, context: ToolContext | undefined) {
  const read = request.safeParse(params);
  if (!read.success) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The request is not valid.");
  const { messages: given, systemPrompt = "", maxTokens, temperature } = read.data;
  const messages = given.map(({ role, content }, at): Message => {
    const text = [content]
      .flat()
      .map((one) => one.text ?? `[${one.type}]`)
      .join("\n");
    return { id: `sampling_${at}`, role, parts: [{ type: "text", text }] };
  });
  const shown = cleanText([systemPrompt, ...messages.map(textOf)].filter(Boolean).join("\n\n"), MAX_SHOWN);
  if (JSON.stringify(messages).length > MAX_CHARACTERS)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The request is too long.");
  const { ask, askModel, attended, signal } = context ?? {};
  const question = `The MCP server “${server}” wants to ask a model, which you pay for:\n${shown}`;
  const answer = attended === false ? undefined : await ask?.(question, { options: [ALLOW, DENY] });
  if (answer !== ALLOW || !askModel || !signal)
    throw new ProtocolError(REJECTED, "The person did not allow the request.");
  const { text, model, cut } = await askModel({
    role: "rewrite",
    system: systemPrompt,
    messages,
    signal,
    maxOutputTokens: Math.min(maxTokens ?? MAX_OUTPUT_TOKENS, MAX_OUTPUT_TOKENS),
    temperature,
  });
  return {
    role: "assistant" as const,
    content: { type: "text" as const, text },
    model,
    stopReason: cut ? "maxTokens" : "endTurn",
  };
}
