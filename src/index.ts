export { z } from "zod";
export { type Config, loadConfig } from "./app/config.ts";
export { createTackle, type EmbeddedTackle, type TackleOptions, type ToolOptions } from "./app/embed.ts";
export { toFetchHandler } from "./app/fetch-handler.ts";
export { type Generated, type GenerateOptions, generate } from "./app/generate.ts";
export { type ReplayOptions, readRecording, replay } from "./app/replay.ts";
export { serve } from "./app/serve.ts";
export type { Tackle } from "./app/tackle.ts";
export { type ClientOptions, createClient } from "./client/chat.ts";
export { streamTurn, type TurnOptions } from "./client/turn.ts";
export { fromLanguageModel } from "./models/wire/language-model.ts";
export type { Recording } from "./observe/recordings/format.ts";
export type { Replay } from "./observe/recordings/replay.ts";
export type { Chat, FollowOptions, SendOptions, StartedRun, TranscriptMessage } from "./protocol/chat.ts";
export { defineTool, isCallOf, type TypedTool } from "./protocol/define-tool.ts";
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
export type { Tool, ToolContext } from "./protocol/tool.ts";
