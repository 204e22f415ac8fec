import type { Turn } from "../turn.ts";
import { chatTurn, jsonTurn, type ScriptedAnswer } from "../turns.ts";
import type { RecordedRequest } from "../upstream.ts";
import { anthropicTurn } from "./anthropic-turn.ts";
import { geminiTurn } from "./gemini-turn.ts";
import { ollamaServer, ollamaTurn } from "./ollama-turn.ts";
import { responsesTurn } from "./responses-turn.ts";

/** Answers the requests of `tackle models check` as a good model would, in the dialect of the request's path. */
export function answerCheck(request: RecordedRequest): Turn {
  const { path, method } = request;
  const reply = { ...answerTo(request.body), chunkSize: 4, gapMs: 2 };
  if (path.includes("/api/")) {
    const capabilities = ["completion", "tools", "vision", "thinking"];
    return ollamaServer([{ name: "qwen3:8b", capabilities }], () => ollamaTurn(reply))(request);
  }
  if (method === "GET") return jsonTurn({ error: { message: "There is no list here." } }, 404);
  if (path.endsWith("/messages")) return anthropicTurn({ ...reply, signature: "c2lnbmF0dXJl" });
  if (path.includes("enerateContent")) return geminiTurn({ ...reply, thoughtSignature: "c2lnbmF0dXJl" });
  return path.endsWith("/responses") ? responsesTurn(reply) : chatTurn(reply);
}

function answerTo(body: unknown): ScriptedAnswer {
  const sent = JSON.stringify(body) ?? "";
  const answered = sent.includes("It is 12:00.");
  const call = (timeZone: string) => ({ name: "get_time", arguments: { timeZone } });
  if (sent.includes("Paris and what time") && !answered)
    return { calls: [call("Europe/Paris"), call("Asia/Tokyo")] };
  if (sent.includes("Use the tool.") && !answered) return { calls: [call("Europe/Paris")] };
  if (sent.includes("capital of France")) return { text: '{"city":"Paris","country":"France"}' };
  if (sent.includes("9.11"))
    return {
      reasoning: "Compare the tenths.",
      text: "9.9",
      usage: { reasoningTokens: 12, outputTokens: 20 },
    };
  if (sent.includes("Rule 2:")) return { text: "ready", usage: { inputTokens: 5_000, cachedTokens: 4_096 } };
  if (sent.includes("Count from")) return { text: "one two three four five ".repeat(50) };
  return { text: "Red is the sea at night." };
}
