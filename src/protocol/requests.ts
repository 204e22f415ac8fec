import { z } from "zod";
import { Failure } from "./failure.ts";
import { shownIssues, unknownKeys } from "./issues.ts";
import { isObject } from "./json.ts";
import { requestExtent } from "./limits.ts";
import {
  MAX_ATTACHMENTS,
  MAX_MESSAGE_CHARACTERS,
  MAX_MESSAGES,
  MAX_TOTAL_CHARACTERS,
} from "./message-limits.ts";
import { REASONING_EFFORTS } from "./model.ts";
import { oneLine } from "./one-line.ts";
import { inPlainWords } from "./plain-issues.ts";
import { planSteps } from "./plan.ts";
import { modelParameters } from "./projects.ts";

/** No request has so many fields or such long names. */
const MAX_FIELDS = 100;
const MAX_NAME_CHARACTERS = 200;

const text = z.string().max(MAX_MESSAGE_CHARACTERS, `at most ${MAX_MESSAGE_CHARACTERS} characters`);
const spoken = text.refine((value) => value.trim().length > 0, "must not be empty");

const historyMessage = z.strictObject({
  role: z.enum(["system", "user", "assistant"]),
  content: text,
});

const idText = z.string().min(1).max(200);

const attachments = z.array(z.strictObject({ fileId: idText })).max(MAX_ATTACHMENTS);

/** A message may be files alone. */
function saysSomething(sent: {
  message?: string | undefined;
  attachments?: readonly unknown[] | undefined;
}): boolean {
  const { message, attachments = [] } = sent;
  return message === undefined || message.trim() !== "" || attachments.length > 0;
}
const NOTHING_SAID = { message: "must not be empty without attachments", path: ["message"] };

const SESSION_ID = /^[A-Za-z0-9_.:-]{1,64}$/;

/** A call of a run whose tool has an interface. */
const appPlace = z.strictObject({ runId: idText, toolCallId: idText });

/** Returns true for an id that the caller made up. Ids that begin with `ses_` are always ours. */
export function isSessionName(id: string): boolean {
  return SESSION_ID.test(id) && !id.startsWith("ses_");
}

/** The body of `POST /chat`. */
export const chatRequest = z
  .strictObject({
    sessionId: z.string().regex(SESSION_ID, "at most 64 letters, digits, and . _ : -").optional().meta({
      description:
        "A session's id, or your own name for it: at most 64 letters, digits and `. _ : -`, not beginning with `ses_`. A name is private to you; its first use creates the session.",
    }),
    message: text.optional().meta({ description: "May be empty if there are attachments." }),
    messages: z.array(historyMessage).min(1).max(MAX_MESSAGES, `at most ${MAX_MESSAGES} messages`).optional(),
    parentId: idText.nullable().optional().meta({
      description:
        "The answer that `message` comes after, `null` for the very beginning: a branch. Left out, it comes after what is shown last.",
    }),
    regenerate: idText.optional().meta({
      description:
        "The id of an answer to regenerate, instead of `message`. The new answer is added as another version.",
    }),
    attachments: attachments.optional(),
    model: idText.optional(),
    tools: z.array(idText).max(200).optional(),
    toolChoice: idText.optional(),
    app: appPlace.optional().meta({
      description: "The interface of a tool that wrote `message`. The model gets it as text from outside.",
    }),
    appContexts: z.array(appPlace.extend({ text })).max(5).optional().meta({
      description: "What interfaces of tools tell the model with `message`, as text from outside.",
    }),
    modeHint: z.enum(["auto", "artifact", "image"]).optional(),
    reasoningEffort: z.enum(REASONING_EFFORTS).optional(),
    verbosity: z.enum(["low", "medium", "high"]).optional(),
    temporary: z.boolean().optional().meta({
      description:
        "`true` begins a temporary session: it is not listed, not searched and not titled, and is deleted an hour after its last use at the latest.",
    }),
    projectId: idText.optional().meta({
      description: "The project that a new session is in. Its instructions, defaults and files then hold.",
    }),
    parameters: modelParameters.optional().meta({
      description:
        "How to answer this message. What is left out is as the session and its project say. A new session keeps them.",
    }),
    attended: z.boolean().optional().meta({
      description: "`false`: nobody is there to answer questions, and the model is told so at once.",
    }),
    stream: z.boolean().optional(),
    onDisconnect: z.enum(["continue", "cancel"]).optional(),
  })
  .refine(
    ({ message, messages, regenerate, attachments = [] }) =>
      [
        message ?? (attachments.length > 0 && !messages && !regenerate ? "" : undefined),
        messages,
        regenerate,
      ].filter((asked) => asked !== undefined).length === 1,
    { message: "give exactly one of message, messages and regenerate", path: ["message"] },
  )
  .refine(saysSomething, NOTHING_SAID)
  .refine(({ parentId, regenerate, sessionId }) => (parentId ?? regenerate) === undefined || sessionId, {
    message: "say in which session the message is",
    path: ["sessionId"],
  })
  .refine(({ parentId, message }) => parentId === undefined || message !== undefined, {
    message: "goes with message alone",
    path: ["parentId"],
  })
  .refine(({ app, appContexts, message }) => message !== undefined || !(app || appContexts), {
    message: "goes with message alone",
    path: ["app"],
  })
  .refine(({ attachments, regenerate }) => regenerate === undefined || !attachments, {
    message: "the message that is answered once more has its own",
    path: ["attachments"],
  })
  .refine((body) => body.messages === undefined || body.messages.at(-1)?.role === "user", {
    message: "the last message must be the user's",
    path: ["messages"],
  })
  .refine(
    (body) =>
      (body.messages ?? []).reduce((sum, message) => sum + message.content.length, 0) <= MAX_TOTAL_CHARACTERS,
    { message: `at most ${MAX_TOTAL_CHARACTERS} characters together`, path: ["messages"] },
  );

export type ChatRequest = z.infer<typeof chatRequest>;

export const decisionRequest = z.strictObject({
  decision: z.enum(["once", "always", "deny"]),
  note: z.string().max(2_000).optional(),
  argumentsHash: idText.optional().meta({
    description: "The hash from `tool_approval_required`. If the call has changed since, the answer is 409.",
  }),
  steps: planSteps.optional().meta({
    description:
      "For a plan: the steps to approve instead of those that were shown. Leave out the ones that you remove.",
  }),
});

const answered = z
  .string()
  .max(10_000)
  .refine((value) => value.trim().length > 0, "must not be empty");

/** The answer to a question of the model. */
export const answerRequest = z.strictObject({
  answer: z.union([answered, z.array(answered).min(1).max(20)]).meta({
    description: "An option, several where several may be chosen, or your own words.",
  }),
});

/** A message to a run that works. */
export const messageToRun = z
  .strictObject({
    message: text,
    attachments: attachments.optional(),
    when: z.enum(["now", "after"]).default("now").meta({
      description:
        "`now`: before the next question to the model, when the tools that run have ended. `after`: as the next turn, once the run has ended.",
    }),
    interrupt: z.boolean().optional().meta({
      description: "With `now`: the model and the tools that run are stopped first.",
    }),
  })
  .refine(saysSomething, NOTHING_SAID)
  .refine(({ when, interrupt }) => !(interrupt && when === "after"), {
    path: ["interrupt"],
    message: "goes with when: now only",
  });
export type MessageToRun = z.infer<typeof messageToRun>;

/** The changes that a message accepts while it waits. */
export const messageChange = z
  .strictObject({
    message: spoken.optional(),
    when: z.enum(["now", "after"]).optional(),
    position: z.number().int().min(0).optional().meta({
      description: "Its new place among those that wait, counted from 0.",
    }),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), "say what to change");
export type MessageChange = z.infer<typeof messageChange>;

/** The changes that a session accepts. */
export const sessionChange = z
  .strictObject({
    title: z.string().overwrite(oneLine).min(1).max(200).optional(),
    pinned: z.boolean().optional(),
    archived: z.boolean().optional(),
    projectId: idText.nullable().optional().meta({
      description: "The project to move it to; `null` moves it out.",
    }),
    parameters: modelParameters.nullable().optional().meta({
      description: "How its messages are answered, instead of what was kept before; `null` forgets it.",
    }),
    temporary: z.literal(false).optional().meta({
      description: "`false` keeps a temporary session: it is listed and searched from now on.",
    }),
    show: idText.optional().meta({ description: "A message: the newest branch through it is shown." }),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), "say what to change");
export const newSessionRequest = z.strictObject({
  title: z.string().overwrite(oneLine).min(1).max(200).optional(),
  projectId: idText.optional(),
});

export const forkRequest = z.strictObject({
  messageId: idText.meta({ description: "The last message of the new conversation." }),
  temporary: z.boolean().optional().meta({
    description:
      "`true` makes a fork for comparing answers: it is not listed and not searched, and is deleted a day after its last use, unless it is kept.",
  }),
});

export const rollbackRequest = z.strictObject({
  runId: idText.optional().meta({
    description:
      "Undo only what this run changed. `last` is the newest run that has something to undo. Left out, everything is undone.",
  }),
});

export const compactRequest = z.strictObject({
  focus: z
    .string()
    .trim()
    .max(2_000)
    .optional()
    .meta({ description: "What the summary should keep above all." }),
});

/** Refuses a body with more or longer names than any request has, before something compares them. Throws INVALID_INPUT. */
export function checkFieldNames(body: Record<string, unknown>): void {
  const names = Object.keys(body);
  if (names.length <= MAX_FIELDS && names.every((name) => name.length <= MAX_NAME_CHARACTERS)) return;
  const issues = [{ path: "", message: unknownKeys(names) }];
  throw new Failure("INVALID_INPUT", `The request is not valid: ${issues[0]?.message}.`, {
    details: { issues },
  });
}

/** Checks a body against a schema. Accepts field names in snake_case too. Throws INVALID_INPUT. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  if (!isObject(body)) throw new Failure("INVALID_INPUT", "The body must be a JSON object.");
  checkFieldNames(body);
  const parsed = schema.safeParse(camelCased(body), { error: inPlainWords });
  if (parsed.success) return parsed.data;
  const issues = shownIssues(parsed.error);
  const [first] = issues;
  const where = first?.path ? `${first.path}: ` : "";
  throw new Failure("INVALID_INPUT", `The request is not valid: ${where}${first?.message ?? "unknown"}.`, {
    details: { issues },
  });
}

function camelCased(body: Record<string, unknown>): Record<string, unknown> {
  if (!Object.keys(body).some((name) => name.includes("_") || name === "parameters")) return body;
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(body)) {
    const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const field = { value: name === "parameters" && isObject(value) ? camelCased(value) : value };
    Object.defineProperty(result, name, { ...field, enumerable: true, configurable: true, writable: true });
  }
  return result;
}

/** Reads the limits that a program sets for one request. Throws INVALID_INPUT for a wrong one. */
export function extentOf(options: { maxSteps?: number; maxToolCalls?: number }) {
  const { maxSteps, maxToolCalls } = options;
  if (maxSteps === undefined && maxToolCalls === undefined) return undefined;
  const wanted = {
    maxIterations: maxSteps,
    maxToolCalls,
  };
  const read = requestExtent.safeParse(wanted);
  if (read.success) return read.data;
  const name = read.error.issues[0]?.path[0] === "maxToolCalls" ? "maxToolCalls" : "maxSteps";
  throw new Failure(
    "INVALID_INPUT",
    `${name}: must be a whole number${name === "maxSteps" ? " above 0" : ""}.`,
  );
}

/** Throws INVALID_INPUT that names the first option which a function does not know. */
export function checkOptions(what: string, options: object, known: Readonly<Record<string, true>>): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const meant = Object.keys(known).find((name) => isClose(name, unknown));
  const hint = meant ? ` Did you mean "${meant}"?` : ` There are: ${Object.keys(known).sort().join(", ")}.`;
  throw new Failure("INVALID_INPUT", `${what}: there is no option "${unknown}".${hint}`);
}

/** True for names with the same letters in another case or order, or with one more, less or other letter. */
function isClose(name: string, written: string): boolean {
  const [one, other] = [name.toLowerCase(), written.toLowerCase()];
  if ([...one].sort().join("") === [...other].sort().join("")) return true;
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return Math.max(one.length, other.length) - start - end <= 1;
}
