import { z } from "zod";
import { cleanText } from "../../protocol/clean-text.ts";
import type { Answer } from "../../protocol/questions.ts";
import type { ToolContext } from "../../protocol/tool.ts";

const choice = z.looseObject({ const: z.string(), title: z.string().optional() });
const field = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  format: z.string().optional(),
  enum: z.array(z.string()).optional(),
  oneOf: z.array(choice).optional(),
  items: z
    .looseObject({ enum: z.array(z.string()).optional(), anyOf: z.array(choice).optional() })
    .optional(),
  default: z.unknown().optional(),
});
type Field = z.infer<typeof field>;
const link = z.looseObject({ mode: z.literal("url"), message: z.string(), url: z.string().max(2_000) });
const request = z.looseObject({
  mode: z.literal("form").optional(),
  message: z.string(),
  requestedSchema: z.looseObject({
    properties: z.record(z.string(), field),
    required: z.array(z.string()).optional(),
  }),
});

type Value = string | number | boolean | string[];
export interface Elicited {
  [key: string]: unknown;
  action: "accept" | "decline" | "cancel";
  content?: Record<string, Value>;
}

const MOST_FIELDS = 20;
const MOST_TRIES = 3;
const MAX_TEXT = 1_000;
const OPENED = "I have opened it";
const DECLINE = "Decline";
const SKIP = "Skip";
/** Secrets are never asked for: the answer would appear in the transcript. */
const SECRET =
  /pass\s?(?:word|phrase|code)|secret|token|api[\s_-]?key|credential|private[\s_-]?key|\bcvv\b|\bpin\b/i;

/** Asks the person what a server wants to know during a call, one field after the other. */
export async function elicit(server: string, params: unknown, context: ToolContext): Promise<Elicited> {
  const { ask } = context;
  const isAnybodyThere = ask !== undefined && context.attended !== false;
  const page = link.safeParse(params);
  if (page.success) return isAnybodyThere ? openPage(server, page.data, ask) : { action: "cancel" };
  const read = request.safeParse(params);
  if (!read.success) return { action: "cancel" };
  const { message, requestedSchema } = read.data;
  const fields = Object.entries(requestedSchema.properties);
  if (fields.length > MOST_FIELDS || fields.some(isSecret) || SECRET.test(message))
    return { action: "decline" };
  if (!isAnybodyThere) return (context.isDirect && defaultsOf(fields)) || { action: "cancel" };
  const content: Record<string, Value> = {};
  const about = `The MCP server “${server}” asks: ${cleanText(message, MAX_TEXT).trim()}`;
  for (const [name, one] of fields.length > 0 ? fields : [["", { type: "boolean" }] as [string, Field]]) {
    const required = name === "" || (requestedSchema.required ?? []).includes(name);
    const given = await askField(ask, about, name, one, required);
    if (given === "cancel" || given === "decline") return { action: given };
    if (name === "" && given.value === false) return { action: "decline" };
    if (name !== "" && given.value !== undefined) content[name] = given.value;
  }
  return { action: "accept", content };
}

/** Shows the person an address that the server wants to be opened. What they do there stays between them and the page. */
async function openPage(
  server: string,
  { message, url }: z.infer<typeof link>,
  ask: NonNullable<ToolContext["ask"]>,
): Promise<Elicited> {
  const address = URL.parse(url);
  if (!address || !/^https?:$/.test(address.protocol) || address.username !== "")
    return { action: "decline" };
  const question = `The MCP server “${server}” asks you to open a page of ${address.host}: ${cleanText(message, MAX_TEXT).trim()}\n${address.href}`;
  const answer = await ask(question, { options: [OPENED, DECLINE] });
  if (answer === undefined) return { action: "cancel" };
  return { action: answer === OPENED ? "accept" : "decline" };
}

/** The answer if the person made the call themselves and every field has a default: they need not be asked then. */
function defaultsOf(fields: readonly [string, Field][]): Elicited | undefined {
  if (fields.length === 0 || fields.some(([, one]) => one.default === undefined)) return undefined;
  return {
    action: "accept",
    content: Object.fromEntries(fields.map(([name, one]) => [name, one.default as Value])),
  };
}

async function askField(
  ask: NonNullable<ToolContext["ask"]>,
  about: string,
  name: string,
  one: Field,
  required: boolean,
): Promise<{ value: Value | undefined } | "decline" | "cancel"> {
  const choices = choicesOf(one);
  const known = one.default === undefined || choices.size > 0 ? [] : [String(one.default)];
  const options = [...known, ...choices.keys(), ...(required ? [] : [SKIP]), DECLINE];
  const detail = [one.title ?? name, one.description].filter(Boolean).join(": ");
  let problem = "";
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const question = [about, cleanText(detail, MAX_TEXT), problem].filter(Boolean).join("\n");
    const answer = await ask(question, { options, multiple: one.type === "array" });
    if (answer === undefined) return "cancel";
    const said = [answer].flat();
    if (said.includes(DECLINE)) return "decline";
    if (!required && said.includes(SKIP)) return { value: one.default as Value | undefined };
    const value = fittingValue(answer, one, choices);
    if (value !== undefined) return { value };
    problem = "That does not fit. Please answer again.";
  }
  return "decline";
}

/** The options of a field and the values that they stand for. */
function choicesOf({ type, enum: names, oneOf, items }: Field): Map<string, Value> {
  if (type === "boolean")
    return new Map([
      ["Yes", true],
      ["No", false],
    ] as [string, Value][]);
  const titled = oneOf ?? items?.anyOf ?? [];
  const plain = names ?? items?.enum ?? [];
  return new Map<string, Value>([
    ...titled.map((one): [string, Value] => [cleanText(one.title ?? one.const, 200), one.const]),
    ...plain.map((one): [string, Value] => [cleanText(one, 200), one]),
  ]);
}

function fittingValue(
  answer: Answer,
  { type }: Field,
  choices: ReadonlyMap<string, Value>,
): Value | undefined {
  const said = [answer].flat();
  if (choices.size > 0) {
    const values = said.flatMap((one) => choices.get(one) ?? []);
    if (values.length < said.length) return undefined;
    return type === "array" ? values.map(String) : values[0];
  }
  const [text = ""] = said;
  if (type === "array") return said;
  if (type !== "number" && type !== "integer") return text;
  const value = Number(text.replace(",", "."));
  return Number.isFinite(value) && (type === "number" || Number.isInteger(value)) ? value : undefined;
}

function isSecret([name, { title = "", format }]: [string, Field]): boolean {
  return format === "password" || SECRET.test(`${name.replace(/([a-z])([A-Z])/g, "$1 $2")} ${title}`);
}
