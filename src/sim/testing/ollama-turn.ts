import type { Turn } from "../turn.ts";
import { jsonTurn, pieces, type ScriptedAnswer, usageOf, withIds } from "../turns.ts";
import type { RecordedRequest } from "../upstream.ts";

export interface OllamaAnswer extends ScriptedAnswer {
  doneReason?: string;
}

/** Encodes an answer as Ollama's own route sends it: one JSON object per line, with whole calls. */
export function ollamaTurn(answer: OllamaAnswer): Turn {
  const base = { model: answer.model ?? "sim", created_at: "2026-11-16T00:00:00Z" };
  const usage = usageOf(answer);
  const line = (message: object, rest: object = { done: false }) =>
    `${JSON.stringify({ ...base, message: { role: "assistant", content: "", ...message }, ...rest })}\n`;
  const frames = [
    ...pieces(answer.reasoning, answer.chunkSize).map((thinking) => line({ thinking })),
    ...pieces(answer.text, answer.chunkSize).map((content) => line({ content })),
    ...withIds(answer.calls, "call_").map(({ id, name, arguments: given }, index) =>
      line({ tool_calls: [{ id, function: { index, name, arguments: given } }] }),
    ),
    line(
      {},
      {
        done: true,
        done_reason: answer.doneReason ?? "stop",
        prompt_eval_count: usage.inputTokens,
        eval_count: usage.outputTokens,
      },
    ),
  ];
  return { frames, gapMs: answer.gapMs, contentType: "application/x-ndjson" };
}

export interface OllamaModel {
  name: string;
  contextLength?: number;
  capabilities?: string[];
}

/** Answers as an Ollama server with these models: its list, their descriptions, and chats by `chat`. */
export function ollamaServer(
  models: readonly OllamaModel[],
  chat: (request: RecordedRequest) => Turn,
): (request: RecordedRequest) => Turn {
  return (request) => {
    const { path, body } = request;
    if (path === "/api/tags") return jsonTurn({ models: models.map(({ name }) => ({ name, model: name })) });
    const asked = body as { model?: string; tools?: unknown[]; think?: unknown } | undefined;
    const model = models.find(({ name }) => name === asked?.model);
    if (!path.startsWith("/api/")) return jsonTurn({ error: "404 page not found" }, 404);
    if (!model) return jsonTurn({ error: `model '${asked?.model}' not found` }, 404);
    const { capabilities = ["completion", "tools"], contextLength = 131_072 } = model;
    if (path === "/api/show")
      return jsonTurn({
        capabilities,
        model_info: { "general.architecture": "sim", "sim.context_length": contextLength },
      });
    const lacks = (ability: string) => !capabilities.includes(ability);
    if (asked?.tools?.length && lacks("tools"))
      return jsonTurn({ error: `registry.ollama.ai/library/${model.name} does not support tools` }, 400);
    if (asked?.think && lacks("thinking"))
      return jsonTurn({ error: `"${model.name}" does not support thinking` }, 400);
    return chat(request);
  };
}
