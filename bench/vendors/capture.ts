import { loadConfig } from "../../src/app/config.ts";
import { connectProviders } from "../../src/app/connect-providers.ts";
import { createModelCatalogue, readProviders } from "../../src/models/catalogue.ts";
import type { ModelCatalogue } from "../../src/protocol/catalogue.ts";
import type { ModelEvent } from "../../src/protocol/model.ts";
import { type Finding, findProblems } from "../../src/sim/rules/find-problems.ts";
import { jsonTurn } from "../../src/sim/turns.ts";
import { type RecordedRequest, startUpstream } from "../../src/sim/upstream.ts";
import { documentOf } from "./documents.ts";
import { type BenchVendor, VENDORS } from "./models.ts";
import type { Scenario } from "./scenarios.ts";

/** A request as it was sent for a scenario, and what is wrong with it. */
export interface Captured {
  vendor: BenchVendor;
  model: string;
  scenario: Scenario;
  path: string;
  body: unknown;
  findings: Finding[];
  /** What the vendor's published document says against it; undefined if it is valid, or if there is no document. */
  invalid?: string;
  documented: boolean;
}

export interface Capture {
  catalogue: ModelCatalogue;
  /** Asks a model as in a scenario. Returns the bodies that it was sent, and what was said instead if there are none. */
  ask(
    vendor: BenchVendor,
    model: string,
    scenario: Scenario,
  ): Promise<{ bodies: Captured[]; refused?: string }>;
  close(): Promise<void>;
}

/** Connects every vendor to one stand-in that keeps requests and answers "ok" in each dialect. */
export async function startCapture(options: { documents: boolean }): Promise<Capture> {
  const upstream = await startUpstream({ rules: "off", record: false, respond: answer });
  let requests: RecordedRequest[] = [];
  const settings = Object.assign({}, ...VENDORS.map((vendor) => vendor.settings(upstream.url))) as Record<
    string,
    string
  >;
  const config = loadConfig({
    env: { TACKLE_DATA: "/nowhere", TACKLE_DEMO_TOKENS_PER_SECOND: "0", ...settings },
    cwd: "/",
  });
  const connections = await connectProviders(config, await readProviders());
  const catalogue = createModelCatalogue({ ...connections, preferred: config.model, prices: config.prices });
  await catalogue.list();

  function answer(request: RecordedRequest) {
    const plain = request.path.replace(/\?.*$/, "");
    if (request.method === "GET") return jsonTurn(listOf(request.path));
    if (plain.endsWith("/api/show")) return jsonTurn(showOf(request.body));
    if (plain.endsWith("/api/tags")) return jsonTurn(listOf(request.path));
    requests.push(request);
    return jsonTurn(answerOf(plain));
  }

  return {
    catalogue,
    async ask(vendor, model, scenario) {
      requests = [];
      const id = `${vendor.id}/${model}`;
      const events: ModelEvent[] = [];
      const request = scenario.build({
        model: id,
        other: vendor.id === "openai" ? "anthropic/claude-sonnet-4-6" : "openai/gpt-5.1",
      });
      await catalogue
        .resolve(id)
        .stream(request, (event) => void events.push(event), AbortSignal.timeout(20_000));
      const last = events.at(-1);
      const bodies = requests.map(({ path, headers, body, text }): Captured => {
        const findings = findProblems(vendor.rules, { path, headers, body, text });
        const plain = path.replace(`/${vendor.id}`, "");
        const validate = options.documents ? documentOf(vendor.id, plain) : undefined;
        const invalid = validate?.(body);
        const documented = validate !== undefined;
        return {
          vendor,
          model,
          scenario,
          path: plain,
          body,
          findings,
          documented,
          ...(invalid && { invalid }),
        };
      });
      return {
        bodies,
        ...(bodies.length === 0 && { refused: last?.type === "failure" ? last.failure.message : "nothing" }),
      };
    },
    async close() {
      await connections.close();
      await upstream.close();
    },
  };
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

/** What Ollama says about a model. The third of the bench's models takes no tools. */
function showOf(body: unknown): unknown {
  const text = JSON.stringify(body);
  const capabilities = [
    "completion",
    ...(text.includes("gemma") ? ["vision"] : ["tools"]),
    ...(text.includes("qwen") ? ["thinking"] : []),
  ];
  return {
    capabilities,
    model_info: { "general.architecture": "x", "x.context_length": 40_960 },
    details: {},
  };
}

/** "ok" in the dialect of the path. The answer is JSON, so that structured output is satisfied as far as it can be. */
function answerOf(path: string): unknown {
  const text = '{"name":"Oslo","people":700000}';
  if (path.endsWith("/messages"))
    return {
      id: "msg_1",
      type: "message",
      role: "assistant",
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
      usage: {},
    };
  if (/enerateContent$/.test(path))
    return {
      candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
    };
  if (path.endsWith("/responses"))
    return {
      id: "resp_1",
      status: "completed",
      output: [
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          content: [{ type: "output_text", text, annotations: [] }],
        },
      ],
    };
  if (path.endsWith("/api/chat"))
    return { model: "x", message: { role: "assistant", content: text }, done: true, done_reason: "stop" };
  return {
    id: "1",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
  };
}
