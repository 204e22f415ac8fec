import type { Usage } from "../../protocol/model.ts";
import type { Frame, Turn } from "../turn.ts";
import { jsonTurn, nextId, pieces, type ScriptedAnswer, usageOf, withIds } from "../turns.ts";

export interface ResponsesAnswer extends ScriptedAnswer {
  /** Encrypted reasoning, which must be sent back with the calls it led to. */
  encryptedReasoning?: string;
  /** Set to `max_output_tokens` or `content_filter` to end as incomplete. */
  incomplete?: string;
  /** Sends arguments only in the `…done` event. */
  argumentsOnlyWhenDone?: boolean;
}

type Item = { id: string; type: string; [key: string]: unknown };

/** Encodes an answer in the OpenAI Responses dialect. */
export function responsesTurn(answer: ResponsesAnswer): Turn {
  const frames: Frame[] = [];
  const output: Item[] = [];
  const response = {
    id: nextId("resp_"),
    object: "response",
    created_at: 1_700_000_000,
    model: answer.model ?? "sim",
    error: null,
    incomplete_details: answer.incomplete ? { reason: answer.incomplete } : null,
  };
  let sequence_number = 0;
  const send = (type: string, rest: object) =>
    frames.push({ event: type, json: { type, sequence_number: sequence_number++, ...rest } });
  const item = (started: Item, finished: object, between: (place: object) => void) => {
    const output_index = output.length;
    send("response.output_item.added", { output_index, item: { ...started, status: "in_progress" } });
    between({ item_id: started.id, output_index });
    const done: Item = { ...started, ...finished, status: "completed" };
    output.push(done);
    send("response.output_item.done", { output_index, item: done });
  };

  const opening = { ...response, status: "in_progress", output: [], usage: null, incomplete_details: null };
  send("response.created", { response: opening });
  send("response.in_progress", { response: opening });
  if (answer.reasoning !== undefined || answer.encryptedReasoning !== undefined) {
    const text = answer.reasoning ?? "";
    const encrypted_content = answer.encryptedReasoning ?? "ZW5jcnlwdGVkIGJ5IHRoZSBzaW0=";
    const summary = text === "" ? [] : [{ type: "summary_text", text }];
    const started = { id: nextId("rs_"), type: "reasoning", summary: [], encrypted_content };
    item(started, { summary }, (place) => {
      for (const delta of pieces(text, answer.chunkSize)) {
        send("response.reasoning_summary_text.delta", { ...place, summary_index: 0, delta });
      }
      if (text !== "") send("response.reasoning_summary_text.done", { ...place, summary_index: 0, text });
    });
  }
  if (answer.text) {
    const { text } = answer;
    const part = { type: "output_text", text, annotations: [] };
    const started = { id: nextId("msg_"), type: "message", role: "assistant", content: [] };
    item(started, { content: [part] }, (place) => {
      send("response.content_part.added", { ...place, content_index: 0, part: { ...part, text: "" } });
      for (const delta of pieces(text, answer.chunkSize)) {
        send("response.output_text.delta", { ...place, content_index: 0, delta });
      }
      send("response.output_text.done", { ...place, content_index: 0, text });
      send("response.content_part.done", { ...place, content_index: 0, part });
    });
  }
  for (const call of withIds(answer.calls, "call_")) {
    if (call.custom) {
      const started = { id: nextId("ctc_"), type: "custom_tool_call", call_id: call.id, name: call.name };
      item(started, { input: call.json }, (place) => {
        send("response.custom_tool_call_input.done", { ...place, input: call.json });
      });
      continue;
    }
    const started = {
      id: nextId("fc_"),
      type: "function_call",
      call_id: call.id,
      name: call.name,
      arguments: "",
    };
    item(started, { arguments: call.json }, (place) => {
      for (const delta of answer.argumentsOnlyWhenDone ? [] : pieces(call.json, answer.chunkSize)) {
        send("response.function_call_arguments.delta", { ...place, delta });
      }
      send("response.function_call_arguments.done", { ...place, arguments: call.json });
    });
  }
  const status = answer.incomplete ? "incomplete" : "completed";
  const closing = { ...response, status, output, usage: responsesUsage(usageOf(answer)) };
  if (answer.whole) return jsonTurn(closing);
  send(`response.${status}`, { response: closing });
  return { frames, gapMs: answer.gapMs };
}

function responsesUsage(usage: Usage): object {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedTokens ?? 0,
      cache_write_tokens: usage.cacheWriteTokens ?? 0,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}
