import { findProblems } from "../../src/sim/testing/rules/find-problems.ts";
import { startUpstream } from "../../src/sim/testing/upstream.ts";
import type { Turn } from "../../src/sim/turn.ts";
import { jsonTurn } from "../../src/sim/turns.ts";
import type { RecordedRequest } from "../../src/sim/upstream.ts";
import { VENDORS } from "./models.ts";

/** All vendors at one address: each has its own model list, and every model answers "ok" in its dialect. */
export interface StandIn {
  /** The environment that connects every vendor to it. */
  settings: Record<string, string>;
  /** Returns the requests to models since the last call. */
  take(): RecordedRequest[];
  /** Answers with this from now on, or with "ok" again. */
  answerWith(turn: Turn | undefined): void;
  close(): Promise<void>;
}

/** Starts the stand-in. It takes every request: the bench checks them on its own. */
export async function startStandIn(): Promise<StandIn> {
  let requests: RecordedRequest[] = [];
  let answer: Turn | undefined;
  const upstream = await startUpstream({
    rules: "off",
    record: false,
    respond(request) {
      const path = request.path.replace(/\?.*$/, "");
      if (request.method === "GET") return jsonTurn(listOf(path));
      if (path.endsWith("/api/show")) return jsonTurn(describeModel(request.body));
      const tooMany = refusedCount(request, path);
      if (tooMany) return tooMany;
      requests.push(request);
      return answer ?? jsonTurn(answerOf(path));
    },
  });
  const settings: Record<string, string> = {};
  for (const vendor of VENDORS) Object.assign(settings, vendor.settings(upstream.url));
  return {
    settings,
    take() {
      const taken = requests;
      requests = [];
      return taken;
    },
    answerWith(turn) {
      answer = turn;
    },
    close: upstream.close,
  };
}

/** How many tools a vendor takes is learned from its refusal, so it refuses more, and only what is sent then counts. */
function refusedCount(request: RecordedRequest, path: string): Turn | undefined {
  const vendor = VENDORS.find(({ id }) => path.startsWith(`/${id}/`));
  const finding = vendor && findProblems(vendor.rules, request).find(({ rule }) => rule === "tool-count");
  if (!finding || !/long|most/.test(finding.message)) return undefined;
  const { status, errorBody } = finding;
  return { status, contentType: "application/json", frames: [JSON.stringify(errorBody)] };
}

/** The vendor's own list, in its own form. */
function listOf(path: string): unknown {
  const vendor = VENDORS.find(({ id }) => path.startsWith(`/${id}/`));
  const names = vendor?.models ?? [];
  if (vendor?.id === "gemini")
    return {
      models: names.map((name) => ({
        name: `models/${name}`,
        supportedGenerationMethods: ["generateContent"],
      })),
    };
  if (path.endsWith("/api/tags")) return { models: names.map((name) => ({ name, model: name })) };
  return {
    object: "list",
    data: names.map((id) => ({ id, object: "model", type: "model", created: 1_760_000_000 })),
  };
}

/** What Ollama says about a model. Gemma takes no tools. */
function describeModel(body: unknown): unknown {
  const asked = JSON.stringify(body);
  const capabilities = [
    "completion",
    ...(asked.includes("gemma") ? ["vision"] : ["tools"]),
    ...(asked.includes("qwen") ? ["thinking"] : []),
  ];
  return {
    capabilities,
    model_info: { "general.architecture": "x", "x.context_length": 40_960 },
    details: {},
  };
}

/** The answer is JSON, so that structured output is satisfied as far as one answer can be. */
const TEXT = '{"name":"Oslo","people":700000}';

function answerOf(path: string): unknown {
  if (path.endsWith("/messages"))
    return {
      id: "msg_1",
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: TEXT }],
      stop_reason: "end_turn",
      usage: {},
    };
  if (/enerateContent$/.test(path))
    return {
      candidates: [{ index: 0, content: { role: "model", parts: [{ text: TEXT }] }, finishReason: "STOP" }],
    };
  if (path.endsWith("/responses")) {
    const content = [{ type: "output_text", text: TEXT, annotations: [] }];
    return {
      id: "resp_1",
      status: "completed",
      output: [{ type: "message", id: "msg_1", role: "assistant", content }],
    };
  }
  const message = { role: "assistant", content: TEXT };
  if (path.endsWith("/api/chat")) return { model: "x", message, done: true, done_reason: "stop" };
  return { id: "1", object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }] };
}
