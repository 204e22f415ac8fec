export { z } from "zod";
export type { Tackle } from "./app.ts";
export { type ClientOptions, createClient } from "./client/chat.ts";
export { streamTurn, type TurnOptions } from "./client/turn.ts";
export { type Config, loadConfig } from "./config.ts";
export { createTackle, type EmbeddedTackle, type TackleOptions } from "./embed.ts";
export { toFetchHandler } from "./fetch-handler.ts";
export type { Chat, StartedRun, TranscriptMessage } from "./protocol/chat.ts";
export type { ChatEvent, LoggedEvent } from "./protocol/events.ts";
export { Failure } from "./protocol/failure.ts";
export type { Message, Part } from "./protocol/messages.ts";
export {
  defineProvider,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type Provider,
} from "./protocol/model.ts";
export type { Principal } from "./protocol/principal.ts";
export { emptyRun, type RunState, reduce, reduceAll } from "./protocol/reduce.ts";
export type { ChatRequest } from "./protocol/requests.ts";
export { defineTool, type Tool, type ToolContext } from "./protocol/tool.ts";
export type { Recording } from "./recordings/format.ts";
export type { Replay } from "./recordings/replay.ts";
export { type ReplayOptions, readRecording, replay } from "./replay.ts";
export { serve } from "./serve.ts";
export { fromLanguageModel } from "./wire/language-model.ts";
