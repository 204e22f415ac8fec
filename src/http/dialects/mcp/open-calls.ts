import { createHash, randomBytes } from "node:crypto";
import {
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { Failure } from "../../../protocol/failure.ts";
import { type Answers, APPROVAL, type ClientContext, OpenCall } from "./open-call.ts";

const MAX_OPEN = 1_000;
const MAX_OPEN_OF_ONE = 50;
/** How long a person may take to answer. */
const WAIT_MS = 600_000;

/** What the client keeps for us while it answers. It is signed and bound to the caller and the method. */
interface CallState {
  id: string;
  round: number;
  /** A hash of what was called. */
  subject: string;
  /** The tool had begun when it asked. */
  started: boolean;
  answers: Record<string, unknown>;
}

/** What is called, and how. */
export interface Opening<Result> {
  userId: string;
  /** Names the call: two calls with the same name and arguments are the same. */
  subject: unknown;
  capabilities: ClientCapabilities;
  signals: AbortSignal[];
  /** False if it must not run twice. */
  repeatable: boolean;
  run(open: OpenCall<Result>, forTool: ClientContext, id: string): Promise<Result>;
  /** Lets a call that takes longer continue without the request. Returns what the client gets instead of its result. */
  later?: { afterMs: number; take(open: OpenCall<Result>, id: string): Promise<Result> } | undefined;
}

interface Kept {
  userId: string;
  open: OpenCall<unknown>;
  expires: NodeJS.Timeout;
}

/** Returns undefined if it takes longer. */
async function within<Value>(ms: number | undefined, work: Promise<Value>): Promise<Value | undefined> {
  if (ms === undefined) return work;
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

export type OpenCalls = ReturnType<typeof createOpenCalls>;

/**
 * Keeps calls that wait for answers of their client. If another instance gets the answer, or this one has restarted, a call that
 * may run twice starts again with the answers so far.
 */
export function createOpenCalls(key: Uint8Array, hide: (text: string) => string) {
  const kept = new Map<string, Kept>();
  const codec = createRequestStateCodec<CallState>({
    key,
    ttlSeconds: WAIT_MS / 1_000,
    bind: ({ mcpReq, http }) => `${mcpReq.method}\0${http?.authInfo?.clientId ?? ""}`,
  });

  function take<Result>(id: string, userId: string): OpenCall<Result> | undefined {
    const found = kept.get(id);
    if (found?.userId !== userId) return undefined;
    clearTimeout(found.expires);
    kept.delete(id);
    return found.open as OpenCall<Result>;
  }

  function keep(id: string, userId: string, open: OpenCall<unknown>): void {
    const own = [...kept].filter(([, one]) => one.userId === userId);
    const oldest = own.length >= MAX_OPEN_OF_ONE ? own[0] : kept.size >= MAX_OPEN ? [...kept][0] : undefined;
    if (oldest) drop(oldest[0]);
    const expires = setTimeout(() => drop(id), WAIT_MS);
    expires.unref();
    kept.set(id, { userId, open, expires });
  }

  function drop(id: string): void {
    const found = kept.get(id);
    if (!found) return;
    clearTimeout(found.expires);
    kept.delete(id);
    found.open.stop.abort();
  }

  async function serve<Result>(
    context: ServerContext,
    opening: Opening<Result>,
  ): Promise<Result | InputRequiredResult> {
    const state = context.mcpReq.requestState<CallState>();
    const subject = createHash("sha256").update(JSON.stringify(opening.subject)).digest("base64url");
    if (state && state.subject !== subject)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The requestState belongs to another call.");
    const { [APPROVAL]: allowed, ...others } = context.mcpReq.inputResponses ?? {};
    // What was not asked yet cannot have been allowed.
    const answers = state && allowed !== undefined ? { ...others, [APPROVAL]: allowed } : others;
    const id = state?.id ?? `task_${randomBytes(18).toString("base64url")}`;
    let open = state && take<Result>(state.id, opening.userId);
    if (open) {
      open.context = context;
      open.give(answers);
    } else {
      if (state?.started && !opening.repeatable)
        throw new Failure(
          "TOOL_OUTCOME_UNKNOWN",
          "The call was interrupted while it waited. Call it again if you need to.",
        );
      const started = new OpenCall<Result>(context, opening.capabilities, hide);
      started.begin({ ...state?.answers, ...answers }, (forTool) => opening.run(started, forTool, id));
      open = started;
    }
    return step(context, opening, open, { id, subject, round: (state?.round ?? 0) + 1 });
  }

  async function step<Result>(
    context: ServerContext,
    { userId, signals, later }: Opening<Result>,
    open: OpenCall<Result>,
    state: Pick<CallState, "id" | "subject" | "round">,
  ): Promise<Result | InputRequiredResult> {
    // The call ends with the connection that waits for it.
    const gone = AbortSignal.any([...signals, context.mcpReq.signal]);
    const stop = () => open.stop.abort();
    gone.addEventListener("abort", stop);
    if (gone.aborted) stop();
    try {
      const next = await within(later?.afterMs, open.next());
      if (next === undefined && later) {
        open.context = undefined;
        return await later.take(open, state.id);
      }
      if (next === undefined || "result" in next) return (next as { result: Result }).result;
      const { started, answers } = open;
      const requestState = await codec.mint({ ...state, started, answers }, context);
      keep(state.id, userId, open);
      return inputRequired({ inputRequests: next.requests as InputRequests, requestState });
    } catch (thrown) {
      const { missing } = open;
      // Earlier revisions have no such error: there, the model reads why the call failed.
      if (missing && context.mcpReq.envelope)
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: missing });
      throw thrown;
    } finally {
      gone.removeEventListener("abort", stop);
    }
  }

  /** Starts a call without waiting for it. */
  function restart<Result>(
    capabilities: ClientCapabilities,
    answers: Answers,
    run: (open: OpenCall<Result>, forTool: ClientContext) => Promise<Result>,
  ): OpenCall<Result> {
    const open = new OpenCall<Result>(undefined, capabilities, hide);
    open.begin(answers, (forTool) => run(open, forTool));
    return open;
  }

  return {
    restart,
    verify: codec.verify,
    serve,
    close: () => {
      for (const id of [...kept.keys()]) drop(id);
    },
  };
}
