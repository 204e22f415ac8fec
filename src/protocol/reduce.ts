import type {
  ArtifactIssue,
  ChatEvent,
  EventOf,
  FinishReason,
  NoticeEvent,
  ReasoningStep,
  TodoItem,
} from "./events.ts";
import type { ToolError } from "./failure.ts";
import type { Usage } from "./model.ts";
import { REASONING_SOURCE } from "./reasoning-steps.ts";
import { reduceCall } from "./reduce-call.ts";
import { ignoreUnknown } from "./unknown.ts";

export type ToolCallStatus = "pending" | "waiting" | "running" | "succeeded" | "failed";

/** A tool call as a person follows it. */
export interface ToolCallState {
  toolCallId: string;
  toolName: string;
  arguments: unknown;
  /** Its position in the answer's text. */
  textOffset: number;
  status: ToolCallStatus;
  approval?: Pick<
    EventOf<"tool_approval_required">,
    | "argumentsHash"
    | "reason"
    | "because"
    | "risk"
    | "outside"
    | "preview"
    | "plan"
    | "expiresAt"
    | "always"
    | "from"
  >;
  /** What the person decided. */
  decision?: EventOf<"tool_approval_decided">["decision"];
  /** A question to the person, and the answer once there is one. */
  question?: Omit<EventOf<"question_required">, "type" | "toolCallId"> & {
    answer?: EventOf<"question_answered">["answer"];
    /** Which of the call's questions it is, from the second on. */
    number?: number;
  };
  /** The run that works on it. */
  childRunId?: string;
  /** The interface of its tool. */
  app?: EventOf<"tool_executing">["app"];
  /** The latest progress message, and all streamed output so far. */
  progress?: { message: string; phase?: string; percent?: number; output: string };
  output?: string;
  /** What is left out of the output. */
  omitted?: EventOf<"tool_result">["omitted"];
  error?: ToolError;
  latencyMs?: number;
  retryCount?: number;
  cached?: boolean;
  artifact?: ArtifactState;
  image?: ImageState;
  search?: EventOf<"web_search">["data"];
}

export type ImageState = Omit<EventOf<"image_complete">, "type" | "toolCallId">;

export interface ArtifactState {
  artifactId: string;
  code: string;
  complete: boolean;
  version?: number;
  artifactType?: EventOf<"artifact_complete">["artifactType"];
  title?: string;
  language?: string;
  previewUrl?: string;
  issues: ArtifactIssue[];
}

export interface ReasoningState {
  text: string;
  steps: ReasoningStep[];
  complete: boolean;
  durationMs?: number;
  reasoningTokens?: number;
}

/** What was said and done, in order. */
export type Block =
  | { type: "text"; text: string }
  | { type: "reasoning"; reasoning: ReasoningState }
  | { type: "tool"; call: ToolCallState };

/** What happened to the run itself, before the block with the index `at`. */
export interface Notice {
  at: number;
  event: NoticeEvent;
}

/** A run as described by its events so far. The web app, the terminal, the store and JSON answers all use it. */
export interface RunState {
  sessionId: string;
  runId: string;
  messageId: string;
  model: string;
  title: string;
  /** The message that it answers, and all answers to it if there are several. */
  parentId?: string;
  siblings?: string[];
  /** The ids of what is remembered about the person and was used. */
  memory?: string[];
  blocks: Block[];
  /** The whole text of the answer. `textOffset` refers to it. */
  text: string;
  /** Messages that the person sent into the run, summaries of the context, and continuations after a break. */
  notices?: Notice[];
  /** The model's list of what it has to do. */
  todo?: TodoItem[];
  /** Images that the model itself made. */
  images?: ImageState[];
  /** The current status, if there is one. */
  status?: { content: string; source: string; phase?: string };
  retry?: Omit<EventOf<"retry_status">, "type">;
  usage?: Usage;
  warnings: { code: string; message: string }[];
  error?: Omit<EventOf<"error">, "type">;
  finishReason?: FinishReason;
  iterations: number;
  toolCalls: number;
}

/** A run before its first event. */
export function emptyRun(): RunState {
  return {
    sessionId: "",
    runId: "",
    messageId: "",
    model: "",
    title: "",
    blocks: [],
    text: "",
    warnings: [],
    iterations: 0,
    toolCalls: 0,
  };
}

/** Returns the state after one more event. Pure; unchanged parts are shared with the previous state. */
export function reduce(state: RunState, event: ChatEvent): RunState {
  switch (event.type) {
    case "session": {
      // Always the first event. A follower that gets it again starts over.
      const { type: _, ...facts } = event;
      return { ...emptyRun(), ...facts };
    }
    case "content_delta": {
      const { content } = event.choices[0].delta;
      if (event.block) return settled(state);
      return { ...settled(state), blocks: appendText(state, content), text: state.text + content };
    }
    case "reasoning_delta": {
      const added = event.choices[0].delta.reasoning_content;
      if (added === "") return state;
      return withReasoning(thinkingOn(state), (reasoning) => ({
        ...reasoning,
        text: reasoning.text + added,
      }));
    }
    case "reasoning_step":
      return withReasoning(state, (reasoning) => ({ ...reasoning, steps: [...reasoning.steps, event.step] }));
    case "reasoning_complete":
      return withReasoning(settled(state), () => ({
        text: event.reasoning,
        steps: event.steps,
        complete: true,
        durationMs: event.durationMs,
        reasoningTokens: event.reasoningTokens,
      }));
    case "reasoning_status": {
      const { type: _, ...status } = event;
      return { ...state, status };
    }
    case "tool_call_start": {
      const { type: _, ...call } = event;
      return {
        ...settled(state),
        blocks: [...state.blocks, { type: "tool", call: { ...call, status: "pending" } }],
        toolCalls: state.toolCalls + 1,
      };
    }
    case "tool_approval_required":
    case "tool_approval_decided":
    case "question_required":
    case "question_answered":
    case "tool_executing":
    case "tool_progress":
    case "tool_result":
    case "artifact_delta":
    case "artifact_complete":
    case "web_search":
    case "child_run":
      return withCall(state, event.toolCallId, (call) => reduceCall(call, event));
    case "image_complete": {
      const { type: _, toolCallId, ...image } = event;
      // The message's own id means that the model made the image, not a call.
      if (toolCallId === state.messageId) return { ...state, images: [...(state.images ?? []), image] };
      return withCall(state, toolCallId, (call) => ({ ...call, image }));
    }
    case "retry_status": {
      const { type: _, ...retry } = event;
      return { ...state, retry };
    }
    case "usage": {
      const { type: _, ...usage } = event;
      return { ...state, usage };
    }
    case "user_message":
    case "context_compacted":
    case "run_continued":
      return {
        ...settled(state),
        notices: [...(state.notices ?? []), { at: state.blocks.length, event }],
      };
    case "todo":
      return { ...state, todo: event.items };
    case "title":
      return { ...state, title: event.title };
    case "warning":
      return { ...state, warnings: [...state.warnings, { code: event.code, message: event.message }] };
    case "error": {
      const { type: _, ...error } = event;
      return { ...state, error };
    }
    case "done":
      return {
        ...settled(state),
        finishReason: event.finishReason,
        iterations: event.iterations,
        toolCalls: event.toolCalls,
      };
    default:
      return ignoreUnknown(event, state);
  }
}

/** Returns the state after all of these events. */
export function reduceAll(events: Iterable<ChatEvent>): RunState {
  let state = emptyRun();
  for (const event of events) state = reduce(state, event);
  return state;
}

/** Returns what was said and done together with the notices, each at its place. */
export function timelineOf({ blocks, notices = [] }: RunState): (Block | NoticeEvent)[] {
  return [...blocks, undefined].flatMap((block, index) => {
    const before = notices.flatMap(({ at, event }) => (at === index ? [event] : []));
    return block ? [...before, block] : before;
  });
}

/** True if the answer broke off and was continued. */
export function wasContinued({ notices = [] }: RunState): boolean {
  return notices.some(({ event }) => event.type === "run_continued");
}

/** Returns the calls of a run, in the order in which they were made. */
export function callsOf(state: RunState): ToolCallState[] {
  return state.blocks.flatMap((block) => (block.type === "tool" ? [block.call] : []));
}

/** Returns the call with this id. */
export function findCall(state: RunState, toolCallId: string): ToolCallState | undefined {
  const block = state.blocks[indexOfCall(state, toolCallId)];
  return block?.type === "tool" ? block.call : undefined;
}

function indexOfCall({ blocks }: RunState, toolCallId: string): number {
  return blocks.findLastIndex((block) => block.type === "tool" && block.call.toolCallId === toolCallId);
}

/** Clears the status and the retry notice: the run has moved on. */
function settled(state: RunState): RunState {
  if (state.retry === undefined && state.status === undefined) return state;
  const { retry: _, status: __, ...rest } = state;
  return rest;
}

/** Like `settled`, but what the model thinks about stays until the reasoning ends. */
function thinkingOn(state: RunState): RunState {
  const { status } = state;
  return status?.source === REASONING_SOURCE ? { ...settled(state), status } : settled(state);
}

function appendText({ blocks, notices }: RunState, text: string): Block[] {
  const last = blocks.at(-1);
  if (last?.type !== "text" || breaksText(notices?.at(-1), blocks.length))
    return [...blocks, { type: "text", text }];
  return [...blocks.slice(0, -1), { type: "text", text: last.text + text }];
}

/** A continued answer stays in the same block. Any other notice is between two. */
function breaksText(newest: Notice | undefined, at: number): boolean {
  return newest?.at === at && newest.event.type !== "run_continued";
}

function withReasoning(state: RunState, change: (reasoning: ReasoningState) => ReasoningState): RunState {
  const at = state.blocks.findLastIndex((block) => block.type === "reasoning");
  const open = state.blocks[at];
  if (open?.type !== "reasoning" || open.reasoning.complete) {
    const reasoning = change({ text: "", steps: [], complete: false });
    return { ...state, blocks: [...state.blocks, { type: "reasoning", reasoning }] };
  }
  return {
    ...state,
    blocks: state.blocks.with(at, { type: "reasoning", reasoning: change(open.reasoning) }),
  };
}

function withCall(
  state: RunState,
  toolCallId: string,
  change: (call: ToolCallState) => ToolCallState,
): RunState {
  const at = indexOfCall(state, toolCallId);
  const block = state.blocks[at];
  if (block?.type !== "tool") return state;
  return { ...state, blocks: state.blocks.with(at, { type: "tool", call: change(block.call) }) };
}
