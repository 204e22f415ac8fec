import type { ImagePart, TextPart } from "../../../protocol/messages.ts";

/** A call as a client sends it back. */
export interface ClientCall {
  id: string;
  name: string;
  arguments: string;
  /** Its result, where the item contains it. */
  result?: { output: string; success: boolean };
}

/** A message that a client sends, independent of the dialect. `at` is its index in the request. */
export type ClientMessage =
  | { role: "system"; text: string; at: number }
  | { role: "user"; parts: (TextPart | ImagePart)[]; at: number }
  | { role: "assistant"; text: string; calls: ClientCall[]; at: number }
  /** The result of a call that the client ran. */
  | { role: "tool"; callId: string; output: string; at: number };
