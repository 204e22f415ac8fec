import { createGuard } from "../../guard/pipeline.ts";
import { policyFile } from "../../guard/policy.ts";
import { tool } from "../../loop/testing/scripted.ts";
import { type AppPage, type AppRecord, appKey } from "../../protocol/apps.ts";
import type { AuditFact } from "../../protocol/audit.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { Run } from "../../protocol/run-records.ts";
import type { Store } from "../../protocol/store.ts";
import type { Tool } from "../../protocol/tool.ts";
import { openedRun } from "../../store/conformance/harness.ts";
import { temporaryStore } from "../../store/testing/temporary.ts";
import { type AppParts, createApps } from "../apps.ts";
import { registryOf } from "./registry.ts";

export const ada: Principal = { id: "ada", kind: "account" };
export const KEY = Buffer.from("a key for addresses");
export const PAGE: AppPage = {
  html: "<p>Map</p>",
  domains: { connectDomains: ["https://api.example", "https://ads.example"] },
  border: false,
};
/** What an unchanged database has of the app: the call's event alone. */
export const APP = { server: "maps", resourceUri: "ui://maps/view" };
export const CALL = { signal: new AbortController().signal, requestId: "req_1", traceparent: undefined };

/** Two calls in Ada's run: `shown` has an interface of the server "maps", `plain` has none. */
export async function runWithApp(store: Store): Promise<Run> {
  const run = await openedRun(store);
  const start = (toolCallId: string) => ({
    type: "tool_call_start",
    toolCallId,
    toolName: "maps_view",
    arguments: {},
    textOffset: 0,
  });
  const events = [
    start("plain"),
    start("shown"),
    { type: "tool_executing", toolCallId: "shown", toolName: "maps_view", app: APP },
  ].map((event) => JSON.stringify(event));
  await store.commit([{ runId: run.id, epoch: run.epoch, firstSeq: 2, events, steps: [] }], {
    durable: false,
  });
  return run;
}

/** The apps of a server "maps" with these tools, of which a person sees those whose names begin with `maps_`. */
export async function appsOf(
  options: { tools?: Tool[]; policy?: unknown; record?: Partial<AppRecord>; read?(): Promise<AppPage> } = {},
  change: Partial<AppParts> = {},
) {
  const { tools = [], policy = {}, record, read = async () => PAGE } = options;
  const store = change.store ?? (await temporaryStore());
  const run = await runWithApp(store);
  if (record) await store.keepResult(run.id, appKey("shown"), JSON.stringify({ ...APP, ...record }));
  const audited: AuditFact[] = [];
  const reads: unknown[] = [];
  const counted = () => {
    reads.push(APP.resourceUri);
    return read();
  };
  const view: Tool = { ...tool("maps_view"), app: { ...APP, read: counted } };
  const visible = [view, ...tools.filter(({ name }) => name.startsWith("maps_"))];
  const note = (fact: AuditFact) => void audited.push(fact);
  const audit = { record: async (fact: AuditFact) => note(fact), note };
  const apps = createApps({
    store,
    key: KEY,
    servers: {
      tool: (server, name) =>
        server === "maps" ? tools.find((one) => one.name.replace(/^.*_/, "") === name) : undefined,
      readResource: async (server, uri, { principal }) => ({ contents: [server, uri, principal.id] }),
      allowedDomains: (server) => (server === "maps" ? ["https://api.example"] : []),
    },
    guard: createGuard({
      policy: policyFile.parse(policy),
      execution: { timeoutMs: 5_000, maxOutputCharacters: 10_000 },
    }),
    registry: registryOf({ get: (name) => visible.find((one) => one.name === name), list: () => visible }),
    callContexts: {
      sandbox: { tier: "none", detail: "", improve: "" },
      contextFor: (principal) => ({ principal, roots: [], now: () => new Date(), audit }),
    },
    verdictOf: () => undefined,
    ...change,
  });
  const call = (name: string, args: Record<string, unknown> = {}, decided = {}, callId = "c1") =>
    apps.call(ada, run.id, "shown", { callId, name, arguments: args, ...decided }, CALL);
  const madeCalls = async () => (await apps.show(ada, run.id, "shown")).calls;
  return { store, run, apps, call, madeCalls, audited, reads };
}
