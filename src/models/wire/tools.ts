import { beginsWith } from "../../protocol/growing.ts";
import { factsOf, type Message, type ToolCallPart } from "../../protocol/messages.ts";
import type { EmitModelEvent, ModelRequest, ModelWarning, ToolSpec } from "../../protocol/model.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import { pauseIfLong } from "../../protocol/slices.ts";
import { type LoweredSchema, lowerSchema } from "./schemas/lower.ts";
import { profileOf, type SchemaProfile } from "./schemas/profiles.ts";

// Tools and their calls on the wire: schemas and names that a vendor takes, and the ids of calls.

/** A request whose tools the vendor takes. */
export interface PreparedRequest {
  request: ModelRequest;
  /** What had to be left out. */
  warnings: ModelWarning[];
  /** Puts the arguments of calls back into the tools' own words. */
  restore(emit: EmitModelEvent): EmitModelEvent;
}

/**
 * Lowers the schemas of a request's tools to what the vendor takes. Calls in the history are written in the vendor's words,
 * calls in the answer in the tools' own. Tools that cannot be offered are left out with a warning.
 */
export function prepareTools(
  request: ModelRequest,
  dialect: string,
  context: Pick<DialectContext, "quirks" | "modelId">,
  mostTools = Number.POSITIVE_INFINITY,
): PreparedRequest {
  // Who speaks the vendor's dialect wrote the schemas for the vendor.
  if (request.tools.length === 0 || request.native?.dialect === dialect)
    return { request: withChoice(request, request.tools), warnings: [], restore: (emit) => emit };
  const like = likeness(request, dialect, context, mostTools);
  const { tools, lowered, warnings } =
    knownTools(request.tools, like) ?? lowerTools(request, dialect, context, mostTools, like);
  return {
    request: { ...withChoice(request, tools), messages: withWireArguments(request.messages, lowered) },
    warnings,
    restore: (emit) => (event) => {
      if (event.type !== "finish") return emit(event);
      const parts = event.parts.map((part) => {
        const schema = part.type === "tool_call" ? lowered.get(part.name) : undefined;
        return part.type === "tool_call" && schema
          ? { ...part, arguments: schema.fromWire(part.arguments) }
          : part;
      });
      emit({ ...event, parts });
    },
  };
}

/** Tools as a vendor takes them. */
interface LoweredTools {
  tools: ToolSpec[];
  lowered: ReadonlyMap<string, LoweredSchema>;
  warnings: ModelWarning[];
}

/** The tools of the last request, by the first of them. Most requests offer the same. */
const loweredTools = new WeakMap<ToolSpec, LoweredTools & { offered: readonly ToolSpec[]; like: string }>();

function knownTools(offered: readonly ToolSpec[], like: string): LoweredTools | undefined {
  const known = offered[0] && loweredTools.get(offered[0]);
  const isSame = known?.like === like && known.offered.length === offered.length;
  return isSame && beginsWith(offered, known.offered) ? known : undefined;
}

/** Returns what the same tools may be lowered differently for. */
function likeness(
  { toolChoice }: ModelRequest,
  dialect: string,
  context: Pick<DialectContext, "quirks" | "modelId">,
  mostTools: number,
): string {
  const wanted = typeof toolChoice === "object" ? toolChoice.tool : "";
  return [dialect, context.quirks.schemas, context.modelId, mostTools, wanted].join(" ");
}

function lowerTools(
  request: ModelRequest,
  dialect: string,
  context: Pick<DialectContext, "quirks" | "modelId">,
  mostTools: number,
  like: string,
): LoweredTools {
  const profile = profileOf(context.quirks.schemas, dialect);
  const warnings: ModelWarning[] = [];
  const lowered = new Map<string, LoweredSchema>();
  // Vendors refuse a name that comes twice. A client's tool is behind ours and replaces it.
  const byName = new Map(request.tools.map((tool) => [tool.name, tool]));
  const tools: ToolSpec[] = [];
  const maxTools = Math.min(profile.maxTools ?? mostTools, mostTools);
  for (const tool of bounded([...byName.values()], request, maxTools, context.modelId, warnings)) {
    const result = lowerSchema(tool.parameters, profile, tool.strict === true);
    if ("reason" in result) {
      warnings.push(leftOut(tool.name, result.reason));
      continue;
    }
    lowered.set(tool.name, result);
    tools.push(encodeOnce(tool, result, profile));
  }
  const made = { tools, lowered, warnings };
  const [first] = request.tools;
  if (first) loweredTools.set(first, { ...made, offered: request.tools, like });
  return made;
}

/** Does the slow part of `prepareTools` in slices: what is lowered once is remembered. */
export async function lowerInSlices(
  request: ModelRequest,
  dialect: string,
  context: Pick<DialectContext, "quirks" | "modelId">,
  mostTools = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { tools, native } = request;
  if (tools.length === 0 || native?.dialect === dialect) return;
  if (knownTools(tools, likeness(request, dialect, context, mostTools))) return;
  const profile = profileOf(context.quirks.schemas, dialect);
  for (const { parameters, strict } of tools) {
    lowerSchema(parameters, profile, strict === true);
    const paused = pauseIfLong();
    if (paused) await paused;
  }
}

/** Returns the warning that a tool is not offered. */
export function leftOut(tool: string, reason: string): ModelWarning {
  return {
    type: "warning",
    code: "TOOL_LEFT_OUT",
    message: `The tool ${tool} is not offered to this model: ${reason}.`,
  };
}

/** Keeps as many tools as the vendor takes, and always the one that must be called. */
function bounded(
  tools: ToolSpec[],
  { toolChoice }: ModelRequest,
  maxTools: number,
  modelId: string,
  warnings: ModelWarning[],
): ToolSpec[] {
  if (tools.length <= maxTools) return tools;
  const wanted = typeof toolChoice === "object" ? toolChoice.tool : undefined;
  const chosen = tools.findIndex(({ name }) => name === wanted);
  const kept = tools.filter((_, at) => at < maxTools - (chosen >= maxTools ? 1 : 0) || at === chosen);
  const rest = tools.filter((tool) => !kept.includes(tool)).map(({ name }) => name);
  const shown =
    rest.length > 5 ? `${rest.slice(0, 5).join(", ")} and ${rest.length - 5} more` : rest.join(", ");
  warnings.push({
    type: "warning",
    code: "TOOL_LEFT_OUT",
    message: `${modelId} takes at most ${maxTools} tools. Not offered: ${shown}. Turn off tools that are not needed.`,
  });
  return kept;
}

/** What tools are for a vendor, by what was made from their schemas. The same object always, so that its text can be kept. */
const encodedTools = new WeakMap<LoweredSchema, { tool: ToolSpec; encoded: ToolSpec }>();

function encodeOnce(tool: ToolSpec, lowered: LoweredSchema, profile: SchemaProfile): ToolSpec {
  const known = encodedTools.get(lowered);
  if (known?.tool === tool) return known.encoded;
  const encoded = encodeTool(tool, lowered, profile);
  encodedTools.set(lowered, { tool, encoded });
  return encoded;
}

function encodeTool(tool: ToolSpec, lowered: LoweredSchema, { maxDescription }: SchemaProfile): ToolSpec {
  const description = typeof tool.description === "string" ? tool.description.trim() : "";
  const { strict: _asked, ...rest } = tool;
  const strict = lowered.strict ? { strict: true } : {};
  const told = description || `Runs ${tool.name}.`;
  if (maxDescription === undefined || told.length <= maxDescription)
    return { ...rest, ...strict, description: told, parameters: lowered.schema };
  // The texts inside of a schema may be longer, so the rest goes there.
  const start = told.slice(0, maxDescription - 1);
  const cut = Math.max(start.lastIndexOf(" "), maxDescription - 100);
  const more = [told.slice(cut).trim(), lowered.schema.description].filter(Boolean).join("\n");
  return {
    ...rest,
    ...strict,
    description: `${told.slice(0, cut)}…`,
    parameters: { ...lowered.schema, description: `…${more}` },
  };
}

/** Drops a choice that cannot be made any more. */
function withChoice(request: ModelRequest, tools: ToolSpec[]): ModelRequest {
  const { toolChoice, ...rest } = request;
  const gone =
    toolChoice === undefined ||
    tools.length === 0 ||
    (typeof toolChoice === "object" && !tools.some(({ name }) => name === toolChoice.tool));
  return gone ? { ...rest, tools } : { ...rest, toolChoice, tools };
}

function withWireArguments(messages: Message[], lowered: ReadonlyMap<string, LoweredSchema>): Message[] {
  if (!factsOf(messages).calls) return messages;
  return messages.map((message) => {
    if (message.role !== "assistant") return message;
    let changed = false;
    const parts = message.parts.map((part) => {
      const schema = part.type === "tool_call" ? lowered.get(part.name) : undefined;
      const wire = part.type === "tool_call" && schema?.toWire(part.arguments);
      if (part.type !== "tool_call" || typeof wire !== "string" || wire === part.arguments) return part;
      changed = true;
      return { ...part, arguments: wire };
    });
    return changed ? { ...message, parts } : message;
  });
}

/** Maps tool names to the wire and back: `browser.search` becomes `browser_search`, because many vendors refuse dots. */
export interface ToolNames {
  toWire(name: string): string;
  fromWire(name: string): string;
  /** True for the wire name of a tool that the model was offered. */
  isOffered(wire: string): boolean;
}

const ALLOWED = /^[a-zA-Z0-9_-]{1,64}$/;

/** Maps the names that a vendor would refuse. Two tools never share a wire name. */
export function mapToolNames(tools: readonly ToolSpec[]): ToolNames {
  const wireByName = new Map<string, string>();
  const nameByWire = new Map<string, string>();
  const offered = new Set(tools.map((tool) => tool.name));
  const taken = new Set([...offered].filter((name) => ALLOWED.test(name)));
  for (const { name } of tools) {
    if (ALLOWED.test(name)) continue;
    const base = plain(name);
    let wire = base;
    for (let count = 2; taken.has(wire); count++) wire = `${base.slice(0, 61)}_${count}`;
    taken.add(wire);
    wireByName.set(name, wire);
    nameByWire.set(wire, name);
  }
  return {
    // A call in the history may name a tool that is no longer offered. Its name must be valid as well.
    toWire: (name) => wireByName.get(name) ?? (ALLOWED.test(name) ? name : plain(name)),
    fromWire(wire) {
      const known = nameByWire.get(wire);
      if (known !== undefined || offered.has(wire) || wire.length > MOST_DECORATED) return known ?? wire;
      const bare = wire.replace(DECORATION, "");
      return nameByWire.get(bare) ?? (offered.has(bare) ? bare : wire);
    },
    isOffered: (wire) => nameByWire.has(wire) || (offered.has(wire) && ALLOWED.test(wire)),
  };
}

/** What models and their servers leave around a name: `functions.look:0`, `default_api:look`, `look<|channel|>commentary`. */
const MOST_DECORATED = 200;
const DECORATION = /^\s*(?:(?:functions|default_api|tools?)[.:])?|(?::\d+)?(?:<\|.*)?\s*$/gs;

function plain(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "tool";
}

// Frames up: ids that a vendor gives to calls

/** Returns a new id for a tool call. */
export function mintCallId(): string {
  return `call_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** Returns the vendor's id of a call, or a new one, because vendors repeat and forget ids. */
export function takeCallId(vendors: unknown, used: Set<string>): string {
  const id = typeof vendors === "string" && vendors !== "" && !used.has(vendors) ? vendors : mintCallId();
  used.add(id);
  return id;
}

/** Returns the ids of all calls in a history. */
export function callIdsOf(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>();
  if (!factsOf(messages).calls) return ids;
  for (const message of messages) {
    for (const part of message.parts) if (part.type === "tool_call") ids.add(part.id);
  }
  return ids;
}

// Request down: ids of a history's calls for a vendor

export interface VendorCallIds {
  /** Returns the id of a call. `own` means that the same model made it, so the vendor's id goes back. */
  of(call: ToolCallPart, own: boolean): string;
}

/** Accepted by every vendor that has no pattern of its own. */
const PLAIN = "[a-zA-Z0-9_-]{1,64}";
const ANYWHERE = new RegExp(`^${PLAIN}$`);
const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LENGTH = 9;

/** Makes call ids fit a vendor's pattern. The same id is always replaced in the same way, and no id is used twice. */
export function assignCallIds(pattern = PLAIN): VendorCallIds {
  const allowed = new RegExp(`^(?:${pattern})$`);
  const byCall = new Map<ToolCallPart, string>();
  const taken = new Set<string>();
  return {
    of(call, own) {
      const known = byCall.get(call);
      if (known !== undefined) return known;
      const vendors = own ? call.metadata?.callId : undefined;
      const wanted = typeof vendors === "string" && vendors !== "" ? vendors : call.id;
      // Another model's id may have a form that only its vendor takes.
      let id = allowed.test(wanted) && (own || ANYWHERE.test(wanted)) ? wanted : shorten(wanted);
      for (let attempt = 1; taken.has(id); attempt++) id = shorten(`${wanted}#${attempt}`);
      byCall.set(call, id);
      taken.add(id);
      return id;
    },
  };
}

/** Hashes an id to nine letters and digits (FNV-1a, 64 bits). */
function shorten(id: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let at = 0; at < id.length; at++) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(id.charCodeAt(at))) * 0x100000001b3n);
  }
  let text = "";
  for (let at = 0; at < LENGTH; at++) {
    text += ALPHABET[Number(hash % 62n)];
    hash /= 62n;
  }
  return text;
}
