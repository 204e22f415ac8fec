import type { SchemaName } from "./schemas.ts";

/** A body: a named schema as JSON, or another content type. */
export type Body = SchemaName | { type: string; says: string };
export type Answer = Body | "nothing";

/** A route as this table describes it. The numbers are statuses; a list is for callers that choose the form. */
export interface Description {
  summary: string;
  body?: Body;
  /** Query parameters and what they mean. */
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** True where no credentials are needed. */
  open?: true;
  deprecated?: true;
  [status: number]: Answer | Answer[];
}

/** The routes of one topic. */
export interface Topic {
  title: string;
  routes: Record<string, Description>;
}

export const IDEMPOTENT = {
  "Idempotency-Key":
    "A request with the same key and body joins the same run. The same key with another body is 409.",
};
export const PAGE = {
  limit: "The maximum number of items, up to 200.",
  before: "Only items before this one.",
};
export const BYTES = { type: "application/octet-stream", says: "The file." };
export const FRAMES = { type: "text/event-stream", says: "Frames in the protocol's own format." };
export const ISOLATED_PAGE = { type: "text/html", says: "A page whose headers isolate it." };
