import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationPropertySchema,
} from "@agentclientprotocol/sdk";
import type { EventOf } from "../../protocol/events.ts";
import { isObject } from "../../protocol/json.ts";

/** What the model is told if the person closes the form. */
export const NO_ANSWER = "I would rather not answer this.";

/** The form for a question: a choice where there are options, and always a field for other words. */
export function formOf(
  { toolCallId, question, options, multiple, default: usual }: EventOf<"question_required">,
  sessionId: string,
): CreateElicitationRequest {
  const words: ElicitationPropertySchema = {
    type: "string",
    title: options ? "Something else" : "Answer",
    ...(usual !== undefined && !options ? { default: usual } : {}),
  };
  const properties: Record<string, ElicitationPropertySchema> = options
    ? { choice: choiceOf(options, multiple, usual), words }
    : { words };
  const required = options ? [] : ["words"];
  return {
    mode: "form",
    sessionId,
    toolCallId,
    message: question,
    requestedSchema: { type: "object", properties, required },
  };
}

function choiceOf(
  options: string[],
  multiple: boolean | undefined,
  usual: string | undefined,
): ElicitationPropertySchema {
  if (multiple) return { type: "array", title: "Choose", items: { type: "string", enum: options } };
  const preset = usual !== undefined && options.includes(usual) ? { default: usual } : {};
  return { type: "string", title: "Choose", enum: options, ...preset };
}

/** The answer in a filled form. Undefined if the person did not give one. */
export function answerOf(response: CreateElicitationResponse): string | string[] | undefined {
  if (response.action !== "accept" || !("content" in response) || !isObject(response.content))
    return undefined;
  const { choice, words } = response.content;
  const given = [choice, words]
    .flat()
    .filter((one): one is string => typeof one === "string" && one.trim() !== "");
  return given.length > 1 ? given : given[0];
}
