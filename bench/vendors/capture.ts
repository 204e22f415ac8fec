import { loadConfig } from "../../src/app/config.ts";
import { connectProviders } from "../../src/app/connect-providers.ts";
import { createModelCatalogue } from "../../src/models/catalogue.ts";
import { readProviders } from "../../src/models/read-providers.ts";
import type { Failure } from "../../src/protocol/failure.ts";
import { textMessage } from "../../src/protocol/messages.ts";
import type { ModelEvent, ModelRequest } from "../../src/protocol/model.ts";
import { type Finding, findProblems } from "../../src/sim/testing/rules/find-problems.ts";
import type { RecordedRequest } from "../../src/sim/upstream.ts";
import { documentOf } from "./documents.ts";
import type { ErrorBody } from "./error-bodies.ts";
import { type BenchVendor, VENDORS } from "./models.ts";
import type { Scenario } from "./scenarios.ts";
import { startStandIn } from "./stand-in.ts";

/** A request as it was sent, and what is wrong with it. */
export interface Captured {
  vendor: BenchVendor;
  model: string;
  /** The group and the name of its scenario. */
  scenario: string;
  findings: Pick<Finding, "rule" | "message" | "misread">[];
  /** The vendor's published document describes its endpoint. */
  documented: boolean;
}

/** Checks a request by the vendor's rules, and by its published document if there is one. */
export function check(
  request: RecordedRequest,
  vendor: BenchVendor,
  model: string,
  scenario: string,
  documents: boolean,
): Captured {
  const validate = documents ? documentOf(vendor.id, request.path.replace(`/${vendor.id}`, "")) : undefined;
  const findings: Captured["findings"] = findProblems(vendor.rules, request);
  const invalid = validate?.(request.body);
  if (invalid !== undefined) findings.push({ rule: "document", message: invalid });
  return { vendor, model, scenario, findings, documented: validate !== undefined };
}

export interface Capture {
  /** Asks a model as in a scenario. Returns the requests that were sent. */
  ask(vendor: BenchVendor, model: string, scenario: Scenario): Promise<Captured[]>;
  /** Asks a model that answers with an error. Returns what the error was read as. */
  fail(error: ErrorBody): Promise<Failure | undefined>;
  /** Returns the model that is asked if only this vendor is set up. */
  defaultOf(vendor: BenchVendor): string;
  close(): Promise<void>;
}

/** Connects every vendor to the stand-in, as the server does. */
export async function startCapture(options: { documents: boolean }): Promise<Capture> {
  const standIn = await startStandIn();
  const env = { TACKLE_DATA: "/nowhere", TACKLE_DEMO_TOKENS_PER_SECOND: "0", ...standIn.settings };
  const config = loadConfig({ env, cwd: "/" });
  const connections = await connectProviders(config, await readProviders());
  const catalogue = createModelCatalogue({ ...connections, preferred: config.model, prices: config.prices });
  await catalogue.list();

  async function stream(id: string, request: ModelRequest): Promise<ModelEvent | undefined> {
    const events: ModelEvent[] = [];
    const signal = AbortSignal.timeout(20_000);
    await catalogue.resolve(id).stream(request, (event) => void events.push(event), signal);
    return events.at(-1);
  }

  return {
    async ask(vendor, model, scenario) {
      const id = `${vendor.id}/${model}`;
      const other = vendor.id === "openai" ? "anthropic/claude-sonnet-4-6" : "openai/gpt-5.1";
      await stream(id, scenario.build({ model: id, other }));
      const name = `${scenario.group}: ${scenario.name}`;
      return standIn.take().map((request) => check(request, vendor, model, name, options.documents));
    },
    async fail({ vendor, status, headers, body }) {
      standIn.answerWith({ status, headers, contentType: "application/json", frames: [body] });
      const model = VENDORS.find(({ id }) => id === vendor)?.models[0];
      const last = await stream(`${vendor}/${model}`, {
        messages: [textMessage("msg_1", "user", "Hello")],
        tools: [],
      });
      standIn.answerWith(undefined);
      standIn.take();
      return last?.type === "failure" ? last.failure : undefined;
    },
    defaultOf({ id }) {
      const connected = connections.connected.filter(({ provider }) => provider.id === id);
      return createModelCatalogue({
        ...connections,
        connected,
        preferred: undefined,
        prices: {},
      }).defaultId();
    },
    async close() {
      await connections.close();
      await standIn.close();
    },
  };
}
