import type { AssistantPart, ImagePart, TextPart, ToolResultPart } from "../../../protocol/messages.ts";

/** A call as a client sends it back. */
export interface ClientCall {
  id: string;
  name: string;
  arguments: string;
  /** Its result, where the item contains it. */
  result?: ClientResult;
  /** Its result in our own record of the run. */
  recorded?: ToolResultPart;
}

/** What a client says that a call returned. */
export interface ClientResult {
  output: string;
  success: boolean;
  images?: ImagePart[];
}

/** What some clients send back of an answer besides its text and calls. */
interface ClientAnswer {
  reasoning?: string;
  /** All of it in order, instead. */
  parts?: AssistantPart[];
  /** The model that wrote it, which gets its metadata back. */
  model?: string;
  /** The run that wrote it, as far as its items tell. */
  madeBy?: string;
  /** An item of one of our runs, which the client only names. */
  reference?: { runId: string; itemId: string };
}

/** A message that a client sends, independent of the dialect. `at` is its index in the request. */
export type ClientMessage =
  | { role: "system"; text: string; name?: string; at: number }
  | { role: "user"; parts: (TextPart | ImagePart)[]; name?: string; at: number }
  | ({ role: "assistant"; text: string; calls: ClientCall[]; name?: string; at: number } & ClientAnswer)
  /** The result of a call that the client ran. */
  | ({ role: "tool"; callId: string; at: number } & ClientResult);
