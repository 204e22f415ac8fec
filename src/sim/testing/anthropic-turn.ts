import type { Usage } from "../../protocol/model.ts";
import type { Frame, Turn } from "../turn.ts";
import { jsonTurn, nextId, pieces, type ScriptedAnswer, usageOf, withIds } from "../turns.ts";

export interface AnthropicAnswer extends ScriptedAnswer {
  /** Signature of the thinking block, which must be sent back unchanged; null leaves it unsigned. */
  signature?: string | null;
  /** Data of a redacted_thinking block, sent before everything else. */
  redactedThinking?: string;
  stopReason?: string;
  stopSequence?: string;
  /** Blocks of the vendor's own tools, sent before the text. */
  blocks?: Block[];
}

type Block = { type: string; [key: string]: unknown };

/** Encodes an answer in the Anthropic Messages dialect. */
export function anthropicTurn(answer: AnthropicAnswer): Turn {
  const calls = withIds(answer.calls, "toolu_");
  const usage = usageOf(answer);
  const stop_reason = answer.stopReason ?? (calls.length > 0 ? "tool_use" : "end_turn");
  const signature = answer.signature === undefined ? "c2lnbmVkIGJ5IHRoZSBzaW0=" : answer.signature;
  const message = {
    id: nextId("msg_"),
    type: "message",
    role: "assistant",
    model: answer.model ?? "sim",
    stop_sequence: null,
  };
  const stop_sequence = answer.stopSequence ?? null;
  if (answer.whole) {
    const content: Block[] = [];
    if (answer.redactedThinking) content.push({ type: "redacted_thinking", data: answer.redactedThinking });
    if (answer.reasoning) {
      content.push({
        type: "thinking",
        thinking: answer.reasoning,
        ...(signature === null ? {} : { signature }),
      });
    }
    if (answer.text) content.push({ type: "text", text: answer.text });
    for (const call of calls)
      content.push({ type: "tool_use", id: call.id, name: call.name, input: call.arguments });
    return jsonTurn({ ...message, content, stop_reason, stop_sequence, usage: anthropicUsage(usage) });
  }

  const frames: Frame[] = [];
  let index = 0;
  const send = (type: string, rest: object = {}) => frames.push({ event: type, json: { type, ...rest } });
  const block = (content_block: Block, deltas: Block[]) => {
    send("content_block_start", { index, content_block });
    for (const delta of deltas) send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
    index++;
  };
  const start = {
    ...message,
    content: [],
    stop_reason: null,
    usage: { ...anthropicUsage(usage), output_tokens: 1 },
  };
  send("message_start", { message: start });
  send("ping");
  if (answer.redactedThinking) block({ type: "redacted_thinking", data: answer.redactedThinking }, []);
  if (answer.reasoning) {
    const deltas: Block[] = pieces(answer.reasoning, answer.chunkSize).map((thinking) => ({
      type: "thinking_delta",
      thinking,
    }));
    if (signature !== null) deltas.push({ type: "signature_delta", signature });
    block({ type: "thinking", thinking: "", signature: "" }, deltas);
  }
  for (const { input, ...started } of answer.blocks ?? []) {
    const partial_json = JSON.stringify(input);
    if (input === undefined) block(started, []);
    else block({ ...started, input: {} }, [{ type: "input_json_delta", partial_json }]);
  }
  if (answer.text) {
    block(
      { type: "text", text: "" },
      pieces(answer.text, answer.chunkSize).map((text) => ({ type: "text_delta", text })),
    );
  }
  for (const call of calls) {
    block(
      { type: "tool_use", id: call.id, name: call.name, input: {} },
      pieces(call.json, answer.chunkSize).map((partial_json) => ({ type: "input_json_delta", partial_json })),
    );
  }
  send("message_delta", {
    delta: { stop_reason, stop_sequence },
    usage: { output_tokens: usage.outputTokens },
  });
  send("message_stop");
  return { frames, gapMs: answer.gapMs };
}

function anthropicUsage(usage: Usage): object {
  const cached = usage.cachedTokens ?? 0;
  const written = usage.cacheWriteTokens ?? 0;
  return {
    // Unlike other vendors, Anthropic counts cached tokens separately from the input.
    input_tokens: usage.inputTokens - cached - written,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
    output_tokens: usage.outputTokens,
  };
}
