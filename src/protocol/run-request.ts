import { z } from "zod";
import type { Situation } from "./guard.ts";
import { type RequestExtent, requestExtent } from "./limits.ts";
import type { Principal } from "./principal.ts";
import { checkFormat, readStored } from "./stored.ts";
import type { TurnRequest } from "./turns.ts";
import { type WorkspaceText, workspaceText } from "./workspace.ts";

/** What is stored with a run, so that any process can continue it. */
export interface RunRequest {
  request: TurnRequest;
  principal: Principal;
  model: string;
  requestId: string;
  /** The W3C trace that the request belongs to. */
  traceparent?: string;
  /** The limits that the embedding program gave this request. */
  limits?: Partial<RequestExtent>;
  /** The message was sent into this run and waited for its end. */
  after?: { runId: string; messageId: string };
  /** What the session is told about where it works: the text itself, or the run that holds it. */
  workspace?: WorkspaceText;
  workspaceOf?: string;
  /** The project that the session is in, and the lines that are remembered about the person, by their ids. */
  project?: string;
  memory?: string[];
  /** Set if another run waits for this one. */
  child?: ChildFacts;
}

const names = z.array(z.string());
const childFacts = z.looseObject({
  parentRunId: z.string(),
  parentCallId: z.string(),
  /** The run that the person started, and its session. */
  root: z.object({ id: z.string(), sessionId: z.string() }),
  /** 1 for the child of a person's run. */
  depth: z.number(),
  /** What the parent had read when it started the child. */
  situation: z.object({
    outside: names,
    workspace: names,
    privateReads: names,
    suspicious: names,
    personTexts: names,
    links: names.optional(),
  }),
  /** What was left of the parent's limits. Infinity is stored as null. */
  limits: z.record(z.string(), z.number().nullable()),
});
export interface ChildFacts {
  parentRunId: string;
  parentCallId: string;
  root: { id: string; sessionId: string };
  depth: number;
  situation: Situation;
  limits: Readonly<Record<string, number | null>>;
}

/** Returns the id under which a run shows a call of its child. A grandchild's call keeps the id that the child shows. */
export function nestedCallId(runId: string, toolCallId: string): string {
  return nestedCall(toolCallId) ? toolCallId : `${runId}:${toolCallId}`;
}

/** Returns what such an id stands for. Undefined for the id of a run's own call. */
export function nestedCall(id: string): { runId: string; toolCallId: string } | undefined {
  const [, runId, toolCallId] = /^(run_[A-Za-z0-9_-]+):(.+)$/s.exec(id) ?? [];
  return runId === undefined || toolCallId === undefined ? undefined : { runId, toolCallId };
}

/** Raise it when an older version could no longer read what this one writes. */
const FORMAT = 1;

const message = z.looseObject({
  role: z.enum(["system", "user", "assistant"]),
  parts: z.array(z.looseObject({ type: z.string() })),
});

/** The fields that this version acts on; all others are kept as they are. */
const stored = z.looseObject({
  /** The first format was not named. */
  format: z.number().int().default(1),
  request: z.looseObject({
    sessionId: z.string().optional(),
    message: z.string().optional(),
    messages: z.array(z.looseObject({ role: z.string(), content: z.string() })).optional(),
    newest: message.optional(),
    history: z.array(message).optional(),
    tools: z.array(z.string()).optional(),
    clientTools: z.array(z.looseObject({ name: z.string() })).optional(),
  }),
  principal: z.looseObject({ id: z.string(), kind: z.enum(["owner", "guest", "account"]) }),
  model: z.string(),
  requestId: z.string(),
  traceparent: z.string().optional(),
  limits: requestExtent.optional(),
  after: z.looseObject({ runId: z.string(), messageId: z.string() }).optional(),
  workspace: workspaceText.optional(),
  workspaceOf: z.string().optional(),
  project: z.string().optional(),
  memory: names.optional(),
  child: childFacts.optional(),
});

/** The request as it goes into the database. */
export function encodeRunRequest(request: RunRequest): RunRequest & { format: number } {
  return { format: FORMAT, ...request };
}

/** Reads the request of a run from the database. Throws `Failure` for what this version cannot read. */
export function parseRunRequest(run: { id: string; request: unknown }): RunRequest {
  const what = `The request of run ${run.id}`;
  const { format, ...request } = readStored(stored, run.request, what);
  checkFormat(format, FORMAT, what);
  return request as RunRequest;
}
