import { cutText } from "../../protocol/clean-text.ts";
import { isObject } from "../../protocol/json.ts";
import type { EmitModelEvent, ModelRequest, ModelWarning, ToolSpec } from "../../protocol/model.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import { quotable, readErrorBody } from "./failures.ts";
import { hashText } from "./hash.ts";
import { leftOut, lowerInSlices, mapToolNames, prepareTools } from "./tools.ts";

// What vendors refuse is learned from their errors, and only the tools that a vendor takes are offered.

/** What a vendor's refusals have taught about one model, at one address and with one key. */
export interface Learned {
  /** What requests must do without. */
  list(): string[];
  add(quirk: string): void;
  /** Why the vendor refused a tool before. */
  whyRefused(tool: ToolSpec): string | undefined;
  refuse(tool: ToolSpec, reason: string): void;
  /** How many tools the vendor takes at once, where it has said so. */
  mostTools(): number | undefined;
  limitTools(count: number): void;
}

interface Lessons {
  quirks: Set<string>;
  /** By name and schema, with the reason and until when the tool is left out. */
  tools: Map<string, { reason: string; until: number }>;
  mostTools?: number;
}

/** A refused tool is offered again after a while, because vendors change what they take. */
const REMEMBERED_MS = 60 * 60 * 1000;
const MOST_TOOLS = 200;
const MOST_KEYS = 1_000;

/** By whoever asks: an app's transport, or a model that was handed in. Apps in the same process learn apart from each other. */
const lessons = new WeakMap<object, Map<string, Lessons>>();

/** Returns what a model has taught, by its address and key: what one key taught holds for no other. */
export function learnedBy(asker: object, modelId: string, baseUrl: string, key = ""): Learned {
  const known = lessons.get(asker) ?? new Map<string, Lessons>();
  lessons.set(asker, known);
  const id = `${modelId} ${hashText(`${baseUrl} ${key}`)}`;
  /** The newest is last, and the oldest is forgotten. */
  const learn = (): Lessons => {
    const learned = known.get(id) ?? { quirks: new Set(), tools: new Map() };
    known.delete(id);
    known.set(id, learned);
    const [oldest] = known.keys();
    if (known.size > MOST_KEYS && oldest !== undefined) known.delete(oldest);
    return learned;
  };
  return {
    list: () => [...(known.get(id)?.quirks ?? [])],
    add: (quirk) => void learn().quirks.add(quirk),
    whyRefused(tool) {
      const tools = known.get(id)?.tools;
      if (!tools || tools.size === 0) return undefined;
      const found = tools.get(keyOf(tool));
      return found && found.until > Date.now() ? found.reason : undefined;
    },
    refuse(tool, reason) {
      const { tools } = learn();
      if (tools.size >= MOST_TOOLS) tools.clear();
      tools.set(keyOf(tool), { reason, until: Date.now() + REMEMBERED_MS });
    },
    mostTools: () => known.get(id)?.mostTools,
    limitTools(count) {
      learn().mostTools = count;
    },
  };
}

function keyOf({ name, parameters }: ToolSpec): string {
  return hashText(`${name}\n${JSON.stringify(parameters)}`);
}

/** Is told that the vendor refused the request. Returns true if it is asked again with fewer tools. */
export type RefuseTools = (status: number, body: string) => boolean;

/** How often the vendor is asked again without a tool. The last time it gets no tools. */
const MAX_TRIES = 8;

/** Asks with the tools that the vendor takes, and again without those that it refuses. Each one left out is a warning. */
export async function offerTools(
  request: ModelRequest,
  context: DialectContext,
  dialect: string,
  known: Learned,
  emit: EmitModelEvent,
  ask: (prepared: ModelRequest, emit: EmitModelEvent, refuse: RefuseTools) => Promise<void>,
): Promise<void> {
  const told = new Set<string>();
  const warn = (warning: ModelWarning) => {
    if (!told.has(warning.message)) emit(warning);
    told.add(warning.message);
  };
  await lowerInSlices(request, dialect, context, known.mostTools());
  let offered = request.tools.filter((tool) => {
    const reason = known.whyRefused(tool);
    if (reason !== undefined) warn(leftOut(tool.name, reason));
    return reason === undefined;
  });
  for (let attempt = 1, again = true; again; attempt++) {
    again = false;
    const prepared = prepareTools({ ...request, tools: offered }, dialect, context, known.mostTools());
    for (const warning of prepared.warnings) warn(warning);
    await ask(prepared.request, prepared.restore(emit), (status, body) => {
      // The client's own request is not taken apart: the same is asked in our words.
      if (request.native) return false;
      if (learnToolLimit(known, status, body, prepared.request.tools.length)) {
        again = true;
        return true;
      }
      const refusal = readToolRefusal(status, body, prepared.request.tools);
      if (!refusal || attempt > MAX_TRIES) return false;
      const last = attempt === MAX_TRIES;
      const sent = refusal.named ? refusal.tools : unusual(refusal.tools, offered);
      const names = new Set((last ? prepared.request.tools : sent).map(({ name }) => name));
      for (const tool of offered) {
        if (!names.has(tool.name)) continue;
        if (!last) known.refuse(tool, refusal.reason);
        warn(leftOut(tool.name, refusal.reason));
      }
      offered = offered.filter(({ name }) => !names.has(name));
      again = true;
      return true;
    });
  }
}

/** Returns the tools whose schemas had to be changed for the vendor: they are the likely cause. All, if there are none. */
function unusual(sent: ToolSpec[], offered: readonly ToolSpec[]): ToolSpec[] {
  const changed = sent.filter(({ name, parameters }) => {
    const original = offered.find((tool) => tool.name === name)?.parameters;
    const { $schema: _draft, ...plain } = isObject(original) ? original : {};
    return JSON.stringify(plain) !== JSON.stringify(parameters);
  });
  return changed.length > 0 ? changed : sent;
}

const MAX_REASON = 160;

const TOO_MANY =
  /tools?.{0,40}(?:too (?:long|many)|maximum|at most|exceed|limit).{0,80}?(?<!\d)(\d{2,4})(?!\d)|(?:maximum|at most|limit).{0,40}?(?<!\d)(\d{2,4})(?!\d).{0,20}(?:tools|functions)/i;

/** Learns how many tools a vendor takes if that is why it refused these. Returns false if it is not. */
function learnToolLimit(known: Learned, status: number, body: string, count: number): boolean {
  if (status !== 400 && status !== 422) return false;
  const [, one, other] = TOO_MANY.exec(readErrorBody(body).message ?? body) ?? [];
  const limit = Number(one ?? other);
  if (!(limit > 0 && limit < count)) return false;
  known.limitTools(limit);
  return true;
}

/** Which tools an error is about: some of them, or all that are left if it names none. */
interface ToolRefusal {
  tools: ToolSpec[];
  named: boolean;
  reason: string;
}

/** A place in the request: `tools.14.custom`, `tools[3].function`, `"tools",3`, `function_declarations[2]`. */
const PLACES = [
  /(?:function_declarations|functionDeclarations)[.[]\s*(\d+)/g,
  /(?<![\w.\]])tools?(?:[.[]|\/|["'],\s*)\s*(\d+)(?!\]\.(?:function_declarations|functionDeclarations))/g,
];
const ABOUT_TOOLS = /\b(?:tools?|functions?|input_schema|function_declarations?|functionDeclarations?)\b/i;
const ABOUT_SCHEMA = /schema|parameters|propert|description/i;
const UNNAMED = /schema|function\.parameters|\bproperties\b/i;
/** Local servers turn schemas into grammars, and say so only if that fails. */
const GRAMMAR = /schema conversion failed|unrecognized schema|failed to (?:parse|initialize) grammar/i;
const ABOUT_OTHERS =
  /\bmessages\b|tool_calls?\b|tool_use\b|tool_choice|response_format|output_config|text\.format/i;

/** Reads which tools a vendor refused. Undefined if the error is about something else. */
function readToolRefusal(status: number, body: string, tools: readonly ToolSpec[]): ToolRefusal | undefined {
  if ((status !== 400 && status !== 422) || tools.length === 0) return undefined;
  const said = readErrorBody(body).message ?? body;
  const reason = reasonOf(said);
  const places = PLACES.flatMap((place) => [...body.matchAll(place)].map(([, index]) => Number(index)));
  const names = mapToolNames(tools);
  const found = tools.filter(
    ({ name }, at) => places.includes(at) || isNamed(said, name) || isNamed(said, names.toWire(name)),
  );
  if (found.length > 0 && ABOUT_TOOLS.test(body)) return { tools: found, named: true, reason };
  const unnamed = (ABOUT_TOOLS.test(said) && UNNAMED.test(said)) || GRAMMAR.test(said);
  return unnamed && !ABOUT_OTHERS.test(body) ? { tools: [...tools], named: false, reason } : undefined;
}

/** True if the text names a function in quotes or after a word for it, and says something about how it is described. */
function isNamed(text: string, name: string): boolean {
  if (!ABOUT_SCHEMA.test(text) || ABOUT_OTHERS.test(text)) return false;
  const plain = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`["'\`]${plain}["'\`]|\\b(?:function|tool)s?:?\\s+${plain}(?![\\w.-])`).test(text);
}

function reasonOf(said: string): string {
  const sentence = quotable(said).replace(/[.\s]+$/, "");
  return `its vendor refused it (${cutText(sentence, MAX_REASON) || "without a reason"})`;
}
