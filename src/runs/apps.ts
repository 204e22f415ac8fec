import { createHmac, timingSafeEqual } from "node:crypto";
import { noteAllowed, noteAsked, recordDecision } from "../loop/audited-approval.ts";
import { receivedIn } from "../loop/keep-app.ts";
import { situationOf } from "../loop/situation.ts";
import {
  type AppCall,
  type AppCallAnswer,
  type AppCallRequest,
  type AppEndpoint,
  type AppRecord,
  type AppServers,
  appCall,
  appKey,
  appRecord,
} from "../protocol/apps.ts";
import { Failure, toFailure } from "../protocol/failure.ts";
import type { Guard, GuardedCall } from "../protocol/guard.ts";
import type { Principal } from "../protocol/principal.ts";
import { callsOf, type ToolCallState } from "../protocol/reduce.ts";
import { readState } from "../protocol/run-events.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";
import { readStored, storedNames } from "../protocol/stored.ts";
import type { Tool } from "../protocol/tool.ts";
import { visibleText } from "../protocol/visible-text.ts";
import { grantedDomains, refusedDomains } from "./app-domains.ts";
import { rememberApproval, rememberedApprovals } from "./approvals.ts";
import { callDirectly, type DirectCallParts } from "./direct-call.ts";
import { hashOf } from "./ids.ts";
import { ownRun } from "./ownership.ts";

export interface AppParts extends DirectCallParts {
  store: Store;
  servers: AppServers;
  /** Signs the addresses of pages. */
  key: Buffer;
}

const READ_TIMEOUT_MS = 15_000;
/** How many of its calls are remembered for each app. */
const MAX_CALLS = 50;
const MAX_DECIDED = 1_000;
const MAX_SHOWN_ARGUMENTS = 2_000;

/** A call whose tool has an interface. */
interface AppPlace {
  run: Run;
  call: ToolCallState;
  record: AppRecord;
}

/** Returns a person's call whose tool has an interface. Throws NOT_FOUND or FORBIDDEN. */
export async function appCallOf(store: Store, principal: Principal, runId: string, toolCallId: string) {
  const run = await ownRun(store, principal, runId);
  const call = callsOf(await readState(store, runId)).find((one) => one.toolCallId === toolCallId);
  if (!call?.app) throw new Failure("NOT_FOUND", "This call has no interface.");
  return { run, call, app: call.app };
}

/** Shows the interfaces of tools, and makes the calls that they ask for. */
export function createApps(parts: AppParts): AppEndpoint {
  const { store, servers } = parts;
  const signature = (runId: string, toolCallId: string) =>
    createHmac("sha256", parts.key).update(`${runId}\n${toolCallId}`).digest("base64url").slice(0, 32);
  const writes = new Map<string, Promise<unknown>>();

  async function recordOf(runId: string, toolCallId: string): Promise<AppRecord | undefined> {
    const text = await store.loadResult(runId, appKey(toolCallId));
    return text === undefined
      ? undefined
      : readStored(appRecord, JSON.parse(text), `The interface of call ${toolCallId}`);
  }

  async function find(principal: Principal, runId: string, toolCallId: string): Promise<AppPlace> {
    const { run, call, app } = await appCallOf(store, principal, runId, toolCallId);
    return { run, call, record: (await recordOf(runId, toolCallId)) ?? app };
  }

  /** Reads the page from the server where none was kept, and keeps it. */
  async function withPage(principal: Principal, { run, call, record }: AppPlace): Promise<AppRecord> {
    const { app } = parts.registry.for(principal).get(call.toolName) ?? {};
    if (record.page || !app) return record;
    const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
    const page = await app.read({ principal, signal }).catch(() => undefined);
    if (!page) return record;
    // The call may have ended meanwhile, and its result was kept.
    const newest = { ...record, ...(await recordOf(run.id, call.toolCallId)), page };
    await store.keepResult(run.id, appKey(call.toolCallId), JSON.stringify(newest));
    return newest;
  }

  async function callsMade(runId: string, toolCallId: string): Promise<AppCall[]> {
    const text = await store.loadResult(runId, callsKey(toolCallId));
    return text === undefined ? [] : readStored(appCall.array(), JSON.parse(text), "The calls of an app");
  }

  /** Does one thing at a time for each app. */
  function inTurn<Result>(runId: string, toolCallId: string, work: () => Promise<Result>): Promise<Result> {
    const key = `${runId} ${toolCallId}`;
    const next = (writes.get(key) ?? Promise.resolve()).then(work);
    const settled = next.catch(() => undefined); // The caller that asked for it gets the error.
    writes.set(key, settled);
    void settled.then(() => writes.get(key) === settled && writes.delete(key));
    return next;
  }

  /** Adds to the calls that the person sees below the app. Does not throw, because the call itself has ended. */
  function remember(runId: string, toolCallId: string, made: AppCall): Promise<unknown> {
    return inTurn(runId, toolCallId, async () => {
      const calls = [...(await callsMade(runId, toolCallId)), made].slice(-MAX_CALLS);
      await store.keepResult(runId, callsKey(toolCallId), JSON.stringify(calls));
    }).catch(() => undefined);
  }

  /** Lets each call be decided once, even if a request is sent again. */
  function decideOnce(runId: string, toolCallId: string, callId: string): Promise<void> {
    const key = `app-decided:${toolCallId}`;
    return inTurn(runId, toolCallId, async () => {
      const text = await store.loadResult(runId, key);
      const decided = text === undefined ? [] : readStored(storedNames, JSON.parse(text), "Decisions");
      const next = JSON.stringify([...decided, callId].slice(-MAX_DECIDED));
      if (decided.includes(callId) || !(await store.keepResult(runId, key, next)))
        throw new Failure("CONFLICT", "This call was decided on already.");
    });
  }

  return {
    async show(principal, runId, toolCallId) {
      const place = await find(principal, runId, toolCallId);
      const { page, result, server, resourceUri } = await withPage(principal, place);
      const tool = parts.registry.for(principal).get(place.call.toolName);
      const allowed = servers.allowedDomains(server);
      const key = signature(runId, toolCallId);
      return {
        server,
        resourceUri,
        ...(page ? { pageUrl: `/artifacts/apps/${runId}/${toolCallId}?key=${key}` } : {}),
        ...(page?.border === undefined ? {} : { border: page.border }),
        domains: grantedDomains(page?.domains ?? {}, allowed),
        refusedDomains: refusedDomains(page?.domains ?? {}, allowed),
        tool: {
          name: place.call.toolName.slice(server.length + 1),
          description: tool?.description,
          inputSchema: tool?.parameters ?? { type: "object" },
        },
        result,
        calls: await callsMade(runId, toolCallId),
      };
    },
    async page(runId, toolCallId, key) {
      const expected = Buffer.from(signature(runId, toolCallId));
      const given = Buffer.from(key);
      const isRight = given.length === expected.length && timingSafeEqual(given, expected);
      const record = isRight ? await recordOf(runId, toolCallId) : undefined;
      if (!record?.page) throw new Failure("NOT_FOUND", "There is no such page.");
      const domains = grantedDomains(record.page.domains, servers.allowedDomains(record.server));
      return { ...record.page, domains };
    },
    async call(principal, runId, toolCallId, request, { signal, ...trace }) {
      const place = await find(principal, runId, toolCallId);
      const once = () => decideOnce(runId, toolCallId, request.callId);
      const asking = approver(store, principal, place.run, request, once);
      const began = performance.now();
      const ended = (success: boolean, error?: string) =>
        remember(runId, toolCallId, {
          name: request.name,
          arguments: shownArguments(request.arguments),
          at: new Date().toISOString(),
          success,
          latencyMs: Math.round(performance.now() - began),
          error,
        });
      const { sessionId } = place.run;
      try {
        const tool = callable(parts, principal, place, request.name);
        const options = { ...trace, tool, place: { sessionId, runId }, approve: asking.approve };
        const outcome = await callDirectly(parts, principal, tool.name, request.arguments, signal, options);
        await ended(true);
        const { output, received } = outcome;
        return {
          result: receivedIn({ received, result: { output, success: true } }),
        };
      } catch (thrown) {
        if (asking.asked) return asking.asked;
        const failure = toFailure(thrown);
        await ended(false, failure.publicMessage);
        if (failure.code !== "TOOL_FAILED") throw failure;
        return { result: receivedIn({ failure, result: { output: failure.publicMessage, success: false } }) };
      }
    },
    async read(principal, runId, toolCallId, uri, signal) {
      const { call, record } = await find(principal, runId, toolCallId);
      if (!parts.registry.for(principal).get(call.toolName)) throw gone(record.server);
      return servers.readResource(record.server, uri, { principal, signal });
    },
  };
}

/** Returns the tool that an app asks for. It must belong to the app's own server, be for apps, and be open to this person. */
function callable(
  { registry, servers }: AppParts,
  principal: Principal,
  { call, record }: AppPlace,
  name: string,
): Tool {
  const visible = registry.for(principal);
  if (!visible.get(call.toolName)) throw gone(record.server);
  const tool = servers.tool(record.server, name);
  // An app may not use what its person may not use.
  if (tool && (visible.get(tool.name) === tool || !registry.get(tool.name))) return tool;
  throw new Failure(
    "TOOL_UNKNOWN",
    `Apps of ${record.server} have no tool "${name.slice(0, 100)}" that they may call.`,
  );
}

function gone(server: string): Failure {
  return new Failure(
    "UPSTREAM_ERROR",
    `The MCP server "${server}" is not available, so its app can only show what it has.`,
    { retryable: false },
  );
}

/**
 * Decides about a call of an app by the policy. Nothing that the person wrote counts as an order for it. An app knows only what
 * its own server told it, so nothing private can leave with its calls. The person's decision holds for these arguments, once.
 */
function approver(
  store: Store,
  principal: Principal,
  run: Run,
  request: AppCallRequest,
  decideOnce: () => Promise<void>,
) {
  const state: { asked?: AppCallAnswer; approve(guard: Guard, call: GuardedCall): Promise<void> } = {
    async approve(guard, call) {
      const remembered = await rememberedApprovals(store, run);
      const verdict = guard.policy(call, { ...situationOf([], []), unheard: true }, remembered);
      if (verdict.action === "allow") return noteAllowed(call, false);
      if (verdict.action === "deny") throw new Failure("TOOL_DENIED", verdict.reason);
      const { name, version, description, parameters } = call.tool;
      const { callId, decision } = request;
      const argumentsHash = hashOf({ name, version, description, parameters, args: call.args, app: run.id });
      if (decision === undefined || request.argumentsHash !== argumentsHash) {
        noteAsked(call, verdict, argumentsHash);
        const preview = await call.tool.preview(call.args, call.context);
        const { reason, risk, always } = verdict;
        state.asked = {
          approval: {
            toolName: name,
            arguments: call.args,
            argumentsHash,
            reason,
            risk,
            ...(preview === undefined ? {} : { preview: visibleText(preview) }),
            ...(always ? { always } : {}),
          },
        };
        throw new Failure("CANCELLED", "It waits for the person.");
      }
      const approval = { runId: run.id, toolCallId: `app:${callId}`, decision, via: "app", argumentsHash };
      await decideOnce();
      await recordDecision(call, verdict, { ...approval, by: principal.id }, false);
      if (decision === "deny") throw new Failure("TOOL_DENIED", "The person did not allow this call.");
      if (decision === "always" && verdict.remember)
        await rememberApproval(store, run, remembered, verdict.remember);
    },
  };
  return state;
}

function callsKey(toolCallId: string): string {
  return `app-calls:${toolCallId}`;
}

/** Shortens the arguments of a remembered call, which only people read. */
function shownArguments(args: Record<string, unknown>): unknown {
  const text = JSON.stringify(args);
  return text.length <= MAX_SHOWN_ARGUMENTS ? args : `${text.slice(0, MAX_SHOWN_ARGUMENTS)}…`;
}
