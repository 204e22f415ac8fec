import type { JsonObject } from "./json.ts";

/** The request of a client that speaks the vendor's own dialect. That dialect passes it on; others do not see it. */
export interface NativeRequest {
  dialect: string;
  headers: Record<string, string>;
  body: JsonObject;
  /** How many messages of the conversation it contains. */
  messages: number;
  /** Long values that are kept apart from it, by their place in it. */
  aside?: Record<string, string>;
}

/** The "dialect" of requests for a completion: `prompt` and `suffix`. The messages ask for the same in words. */
export const COMPLETIONS = "completions";
