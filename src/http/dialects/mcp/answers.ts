import { z } from "zod";
import { isObject, type JsonSchema } from "../../../protocol/json.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import type { FormAnswer } from "../../../protocol/tool-client.ts";

/** The time in which a person is asked does not count. */
export async function pausing<Value>(
  timeLimit: NonNullable<ToolContext["timeLimit"]>,
  work: () => Promise<Value>,
): Promise<Value> {
  timeLimit.pause();
  try {
    return await work();
  } finally {
    timeLimit.resume();
  }
}

/** The short form of options. */
export const isList = (given: unknown): given is readonly string[] => Array.isArray(given);
/** A message of a model. */
export const isMessage = (answer: unknown): answer is Record<string, unknown> =>
  isObject(answer) && "content" in answer;
/** A list of folders. */
export const hasRoots = (answer: unknown): answer is { roots: { uri: string; name?: string }[] } =>
  isObject(answer) && Array.isArray(answer.roots);

/** An answer that does not fit the form counts as none. */
export function isFormAnswer(answer: unknown, schema: JsonSchema): answer is FormAnswer {
  if (!isObject(answer)) return false;
  if (answer.action === "decline" || answer.action === "cancel") return true;
  if (answer.action !== "accept") return false;
  const form = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  return form.safeParse(answer.content ?? {}).success;
}
