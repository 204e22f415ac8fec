import type { Usage } from "../../protocol/model.ts";
import type { Turn } from "../turn.ts";
import { jsonTurn, nextId, pieces, type ScriptedAnswer, usageOf, withIds } from "../turns.ts";

export interface GeminiAnswer extends ScriptedAnswer {
  /** Sent with the first call, or with an empty text part at the end; it must be sent back at the same position. */
  thoughtSignature?: string;
  finishReason?: string;
  /** Images in the answer. */
  images?: { mimeType: string; data: string }[];
}

type GeminiPart = { [key: string]: unknown };

/** Encodes an answer in the Gemini generateContent dialect. As with the vendor, calls have no id unless one is given. */
export function geminiTurn(answer: GeminiAnswer): Turn {
  const { thoughtSignature } = answer;
  const parts: GeminiPart[] = [];
  for (const text of pieces(answer.reasoning, answer.chunkSize)) parts.push({ text, thought: true });
  for (const text of pieces(answer.text, answer.chunkSize)) parts.push({ text });
  for (const inlineData of answer.images ?? []) parts.push({ inlineData });
  const calls = withIds(answer.calls, "");
  for (const [index, call] of calls.entries()) {
    const id = answer.calls?.[index]?.id;
    const functionCall = { ...(id === undefined ? {} : { id }), name: call.name, args: call.arguments };
    parts.push({ functionCall, ...(index === 0 && thoughtSignature ? { thoughtSignature } : {}) });
  }
  if (thoughtSignature && calls.length === 0) parts.push({ text: "", thoughtSignature });

  const base = { modelVersion: answer.model ?? "sim", responseId: nextId("gemini-") };
  const finishReason = answer.finishReason ?? "STOP";
  const usageMetadata = geminiUsage(usageOf(answer));
  if (answer.whole) {
    const candidates = [{ content: { role: "model", parts }, finishReason, index: 0 }];
    return jsonTurn({ ...base, candidates, usageMetadata });
  }
  const frames = parts.map((part) => ({
    json: { ...base, candidates: [{ content: { role: "model", parts: [part] }, index: 0 }], usageMetadata },
  }));
  const last = { content: { role: "model", parts: [] }, finishReason, index: 0 };
  frames.push({ json: { ...base, candidates: [last], usageMetadata } });
  return { frames, gapMs: answer.gapMs };
}

function geminiUsage(usage: Usage): object {
  const thoughts = usage.reasoningTokens ?? 0;
  return {
    promptTokenCount: usage.inputTokens,
    cachedContentTokenCount: usage.cachedTokens ?? 0,
    // Thoughts are counted separately from the candidates.
    candidatesTokenCount: usage.outputTokens - thoughts,
    thoughtsTokenCount: thoughts,
    totalTokenCount: usage.inputTokens + usage.outputTokens,
  };
}
