import { z } from "zod";

// Servers with Chat Completions that administrators add to a running server. Their keys are never returned.

/** The name becomes the first part of the ids of its models. */
export const newModelServer = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, "must have at most 40 lowercase letters, digits and -"),
  url: z
    .string()
    .max(2_000)
    .refine(
      (given) => /^https?:\/\//i.test(given) && URL.canParse(given),
      "must be an http or https address",
    ),
  key: z.string().min(1).max(4_000).optional(),
});
export type NewModelServer = z.output<typeof newModelServer>;

export interface ModelServer {
  name: string;
  url: string;
  hasKey: boolean;
  /** How many models it lists. */
  models: number;
}

export interface ModelServers {
  list(): Promise<ModelServer[]>;
  /** Tries the server first. Throws INVALID_INPUT that says what came of it, CONFLICT if the name is taken. */
  add(request: NewModelServer): Promise<ModelServer>;
  /** Throws NOT_FOUND. */
  remove(name: string): Promise<void>;
}
