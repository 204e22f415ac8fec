import type { StartedRun } from "./chat.ts";
import type { Conversations } from "./conversations.ts";
import type { EmbeddingRequest, Embeddings } from "./embeddings.ts";
import type { LoggedEvent } from "./events.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Message } from "./messages.ts";
import type { ModelSettings, ToolSpec } from "./model.ts";
import type { ModelParameters } from "./projects.ts";
import type { ChatRequest } from "./requests.ts";
import type { RunStatus } from "./run-records.ts";
import type { StoredMessage } from "./sessions.ts";

/** What other protocols can express beyond `POST /chat`. */
export interface TurnRequest extends ChatRequest {
  /** The person's newest message or the results of client tools, instead of `message`. The session stores it. */
  newest?: Message;
  /** A whole history that ends with `newest`. Nothing is loaded from the session, and nothing is left out. */
  history?: Message[];
  /** Replaces our own system prompt. */
  systemPrompt?: string;
  /** Appended to our own system prompt. If it is set and `tools` is not, all of the server's tools are offered. */
  instructions?: string;
  /** Tools that only the client can run, even if one of ours has the same name. */
  clientTools?: ToolSpec[];
  /** Tools of the client's that the conversation offers, but that this turn may not call. */
  withheldTools?: ToolSpec[];
  /** Server tools that are offered where they exist: clients ask for them without knowing the server. */
  optionalTools?: string[];
  /** What the person should know about the request, such as a tool that was left out of it. */
  warnings?: string[];
  settings?: ModelSettings;
  /** How to answer where `parameters` does not say it: what the session and its project say. */
  defaults?: ModelParameters;
  /** How long to wait for an approval, for clients that may be unattended. */
  approvalMs?: number;
  /** Limits the number of calls, if the server's own limit is not lower. */
  maxToolCalls?: number;
  /** The client's own id for the turn, used to stop it. */
  clientRequestId?: string;
  /** Data that the endpoint stores with the run and reads back later. */
  echo?: JsonObject;
  /** The items that the client sent, for endpoints that return them. */
  input?: GivenItems;
}

/** Items of a client's request. Long values are kept apart, by their place in it. */
export interface GivenItems {
  body: { items: Json[] };
  aside?: Record<string, string>;
}

export interface StartedTurn extends StartedRun {
  /** Names of the tools that only the client can run. */
  clientTools: string[];
}

/** An earlier turn: its request and its answer. */
export interface RecalledTurn {
  runId: string;
  sessionId: string;
  status: RunStatus;
  model: string;
  createdAt: string;
  request: TurnRequest;
  /** The whole answer, once the run has ended. */
  answer?: StoredMessage;
}

/** An earlier question, as a client describes it. */
export interface ToldQuestion {
  text: string;
  /** The turn before it. Missing if it was the first of its session. */
  after?: RecalledTurn;
  /** The id of the answer, if the client knows it. */
  messageId?: string;
  /** The session to search, if neither of these names it. */
  sessionId?: string;
}

/** How large a request is, and what its model speaks. */
export interface TurnExtent {
  /** An estimate. */
  tokens: number;
  /** How many tokens the model takes, if that is known. */
  window?: number;
  dialect: string | undefined;
}

/** The turns of one person, for endpoints that speak other protocols. Methods throw `Failure`. */
export interface Turns {
  conversations: Conversations;
  /** `body` is what the client sent. The same body with the same key joins the same run. */
  start(
    request: TurnRequest,
    options?: { idempotencyKey?: string; requestId?: string; traceparent?: string; body?: unknown },
  ): Promise<StartedTurn>;
  /** Measures a request with a whole history, without starting it. Throws INVALID_INPUT for an unknown model. */
  measure(request: TurnRequest): Promise<TurnExtent>;
  /** Embeds texts with a model, the default model if none is named, and charges the person. */
  embed(
    model: string | undefined,
    request: Omit<EmbeddingRequest, "caller">,
    signal: AbortSignal,
  ): Promise<Embeddings & { model: string }>;
  /** Undefined if there is no such run, or it belongs to another user. */
  recall(runId: string): Promise<RecalledTurn | undefined>;
  /** Everything that the model was sent before it answered. */
  historyOf(turn: RecalledTurn): Promise<Message[]>;
  /** The items that the client sent with the turn. Without those of an endpoint, what was said. */
  inputOf(turn: RecalledTurn): Promise<Json[] | undefined>;
  /** The events of a run so far. */
  eventsOf(runId: string): Promise<LoggedEvent[]>;
  /** The bytes of an image that a run shows, as Base64. Undefined if they are gone. */
  imageAt(imageUrl: string | undefined): Promise<string | undefined>;
  /** The newest turn of a session, if there is one. */
  newestIn(sessionId: string): Promise<RecalledTurn | undefined>;
  /** The request that regenerates the answer to this question. Undefined if no session contains the question. */
  answerTo(told: ToldQuestion): Promise<Pick<TurnRequest, "sessionId" | "regenerate"> | undefined>;
  /** Deletes the turn, together with its session if that holds nothing else. Otherwise the turn is only hidden. */
  forget(turn: RecalledTurn): Promise<void>;
  /** Encrypts a text that a client keeps. Only this server can read it, and only for this person. */
  seal(text: string): string;
  /** Returns undefined for what was not sealed here, or for somebody else. */
  unseal(sealed: string): string | undefined;
  /** The active run with this client id. */
  underWay(clientRequestId: string): Promise<string | undefined>;
}
