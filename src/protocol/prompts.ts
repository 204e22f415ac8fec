import { z } from "zod";
import type { SavedPrompt } from "./prompt-fields.ts";

const fields = {
  name: z
    .string()
    .regex(/^[\p{L}\p{N}][\p{L}\p{N}_-]{0,39}$/u, "must be up to 40 letters, digits, - and _")
    .meta({ description: "What a message asks for it with, after a slash." }),
  description: z.string().trim().max(200).optional(),
  text: z
    .string()
    .min(1)
    .max(10_000)
    .meta({ description: "`{{name}}` is a field that is filled in before it is sent." }),
};

export const newPrompt = z.strictObject(fields);
export type NewPrompt = z.output<typeof newPrompt>;

export const promptChange = z.strictObject(fields).partial();
export type PromptChange = z.output<typeof promptChange>;

/** The saved prompts of people. */
export interface Prompts {
  list(userId: string): Promise<SavedPrompt[]>;
  /** Throws CONFLICT if the name is taken, INVALID_INPUT if there are too many. */
  add(userId: string, prompt: NewPrompt): Promise<SavedPrompt>;
  /** Throws NOT_FOUND. */
  change(userId: string, id: string, change: PromptChange): Promise<SavedPrompt>;
  remove(userId: string, id: string): Promise<void>;
}
