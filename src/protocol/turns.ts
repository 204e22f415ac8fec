import type { StartedRun } from "./chat.ts";
import type { LoggedEvent } from "./events.ts";
import type { JsonObject } from "./json.ts";
import type { Message } from "./messages.ts";
import type { ModelSettings, ToolSpec } from "./model.ts";
import type { ChatRequest } from "./requests.ts";
import type { RunStatus, StoredMessage } from "./store.ts";

/** What other protocols can say beyond `POST /chat`. */
export interface TurnRequest extends ChatRequest {
  /** The person's newest words or results of the client's calls, in the place of `message`: what the session keeps. */
  newest?: Message;
  /** A whole history, `newest` at its end; nothing is loaded, and nothing of it is left out. */
  history?: Message[];
  /** Told to the model in the place of our own words. */
  systemPrompt?: string;
  /** Told to the model behind our own words, which then stay; with it, no `tools` means all of the server's. */
  instructions?: string;
  /** Full specifications: those whose names the server has are its own tools, the others the client's. */
  toolSpecs?: ToolSpec[];
  /** Tools that only the client can run: set where the turn starts, from `toolSpecs`. */
  clientTools?: ToolSpec[];
  settings?: ModelSettings;
  /** How long a person may take to decide on a call, where nobody may be looking. */
  approvalMs?: number;
  /** At most so many calls, where the server's own limit is not lower. */
  maxToolCalls?: number;
  /** The client's own name for the turn, to stop it by. */
  clientRequestId?: string;
  /** What the door wants to find again with the run. */
  echo?: JsonObject;
}

export interface StartedTurn extends StartedRun {
  /** Names of the tools that only the client can run. */
  clientTools: string[];
}

/** A turn of before: what was asked and what has come of it. */
export interface RecalledTurn {
  runId: string;
  sessionId: string;
  status: RunStatus;
  model: string;
  createdAt: string;
  request: TurnRequest;
  /** The whole answer, once it is over. */
  answer?: StoredMessage;
}

/** A question of before as a client tells it. */
export interface ToldQuestion {
  text: string;
  /** The turn right before it; without one it is the first of its session. */
  after?: RecalledTurn;
  /** The answer's own id, where the client knows it. */
  messageId?: string;
  /** Where to look, where neither of these says so. */
  sessionId?: string;
}

/** The turns of one person, as doors of other protocols start them and come back to them. Methods throw `Failure`. */
export interface Turns {
  /** `body` is what the client sent: the same body under the same key joins the same run. */
  start(
    request: TurnRequest,
    options?: { idempotencyKey?: string; requestId?: string; traceparent?: string; body?: unknown },
  ): Promise<StartedTurn>;
  /** Undefined where there is no such run, or it is somebody else's. */
  recall(runId: string): Promise<RecalledTurn | undefined>;
  /** All that the model was told before it answered. */
  historyOf(turn: RecalledTurn): Promise<Message[]>;
  /** The events of a run that are written so far. */
  eventsOf(runId: string): Promise<LoggedEvent[]>;
  /** The turn that answers last in a session, if one has. */
  newestIn(sessionId: string): Promise<RecalledTurn | undefined>;
  /** The answer that a client wants once more, as a request asks for it; undefined where no session has it as it is told. */
  answerTo(told: ToldQuestion): Promise<Pick<TurnRequest, "sessionId" | "regenerate"> | undefined>;
  /** Deletes the turn: with its session where that holds nothing else, otherwise it is just not found any more. */
  forget(turn: RecalledTurn): Promise<void>;
  /** The run under way that the client has given this name. */
  underWay(clientRequestId: string): Promise<string | undefined>;
}
