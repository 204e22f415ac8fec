import type { ImagePart, TextPart } from "../../../protocol/messages.ts";

/** A call as a client sends it back. */
export interface SpokenCall {
  id: string;
  name: string;
  arguments: string;
  /** What came of it, where the item itself says so. */
  result?: { output: string; success: boolean };
}

/** One entry of a conversation as a client tells it, in neither dialect's words. `at` is its place in the request. */
export type Spoken =
  | { role: "system"; text: string; at: number }
  | { role: "user"; parts: (TextPart | ImagePart)[]; at: number }
  | { role: "assistant"; text: string; calls: SpokenCall[]; at: number }
  /** What the client answers to a call that was handed over to it. */
  | { role: "tool"; callId: string; output: string; at: number };
