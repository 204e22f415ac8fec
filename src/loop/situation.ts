import type { Summary } from "../protocol/context.ts";
import type { Situation } from "../protocol/guard.ts";
import { isSentIn, type Message, type Part, type ToolResultPart, textOf } from "../protocol/messages.ts";
import { PLAN_TOOL } from "../protocol/plan.ts";
import { addressesIn } from "../protocol/provenance.ts";
import type { Turn } from "./turn.ts";

const ATTACHED = "an attached file";
const IMPORTED = "an imported conversation";
/** How many addresses a child run is told of. */
const MOST_LINKS = 500;

/**
 * What the model has read so far, in the session's history and in this run. A summary stands for the messages that were not
 * loaded: what they were tainted with, and the person's words that it quotes. Its own text is never the person's.
 */
export function situationOf(
  history: readonly Message[],
  parts: readonly Part[],
  messageLabels: readonly string[] = [],
  { taint, quotes = [] }: Partial<Pick<Summary, "taint" | "quotes">> = {},
): Situation {
  const outside = new Set(taint?.outside);
  const workspace = new Set(taint?.workspace);
  const privateReads = new Set(taint?.privateReads);
  const suspicious = new Set(taint?.suspicious);
  if (messageLabels.length > 0) suspicious.add("message");
  const words: string[] = [];
  const links: string[] = [];
  const results: { source: string; text: string }[] = [];
  const all = [...history.flatMap((message) => message.parts), ...parts];
  for (const part of all) {
    if (part.type !== "tool_result") continue;
    words.push(...(part.personTexts ?? []));
    const names = namesOf(part);
    // An error can contain text from outside, just like a result. Our own sentences tell nothing.
    if (part.trust === "trusted" && !part.success) continue;
    if (part.trust === "untrusted")
      for (const name of names) (part.origin === "workspace" ? workspace : outside).add(name);
    if (part.labels) for (const name of names) suspicious.add(name);
    if (isPrivate(part)) for (const name of names) privateReads.add(name);
    links.push(...(part.links ?? []));
    for (const source of part.sources ?? []) results.push({ source, text: part.output });
  }
  // The author of an attached file or image need not be the person, and not everybody may read it.
  const attached = history.some(hasAttachment) || all.some((part) => isSentIn(part) && isFile(part));
  for (const [name, isThere] of [
    [ATTACHED, attached],
    [IMPORTED, history.some((message) => wasImported(message) && appsIn(message).length === 0)],
    ...[...new Set(history.flatMap(appsIn))].map((server) => [`the interface of ${server}`, true] as const),
  ] as const) {
    if (!isThere) continue;
    outside.add(name);
    privateReads.add(name);
  }
  const personTexts = history
    .filter((message) => message.role === "user" && !wasImported(message))
    .map(textOf);
  for (const part of all) if (isSentIn(part) && part.type === "text") words.push(part.text);
  personTexts.unshift(...quotes.map(({ text }) => text));
  return {
    outside: [...outside],
    workspace: [...workspace],
    privateReads: [...privateReads],
    suspicious: [...suspicious],
    personTexts: [...personTexts, ...words],
    calls: all.filter((part) => part.type === "tool_call"),
    returned: returnedBy(parts),
    links,
    results,
  };
}

/** The same for a turn. A child run starts with what its parent had read; its message is not the person's. */
export function situationIn(
  { history, context, inherited, told = [] }: Pick<Turn, "history" | "context" | "inherited" | "told">,
  parts: readonly Part[],
  messageLabels: readonly string[],
): Situation {
  if (!inherited) {
    const read = situationOf(history, parts, messageLabels, context?.view.summary);
    const situation = { ...read, outside: [...new Set([...told, ...read.outside])] };
    // A client that keeps the history itself may write anything into it.
    return context ? { ...situation, newest: newestTexts(history, parts) } : situation;
  }
  const own = situationOf([], parts, messageLabels);
  const both = (key: "outside" | "workspace" | "privateReads" | "suspicious" | "personTexts" | "links") => [
    ...new Set([...(inherited[key] ?? []), ...(own[key] ?? [])]),
  ];
  return {
    outside: both("outside"),
    workspace: both("workspace"),
    privateReads: both("privateReads"),
    suspicious: both("suspicious"),
    personTexts: both("personTexts"),
    links: both("links"),
    calls: own.calls ?? [],
    returned: own.returned ?? [],
    results: own.results ?? [],
  };
}

/** Returns what a child run is told of a situation: no texts of results, but the addresses that it may read. */
export function inheritable({
  results = [],
  links = [],
  calls: _calls,
  newest: _newest,
  returned: _returned,
  ...situation
}: Situation): Situation {
  const own = results.flatMap(({ source, text }) =>
    addressesIn(text).filter((address) => new URL(address).origin === source),
  );
  return { ...situation, links: [...new Set([...own, ...links])].slice(-MOST_LINKS) };
}

function returnedBy(parts: readonly Part[]): NonNullable<Situation["returned"]> {
  return parts.flatMap((part) => {
    if (part.type !== "tool_result" || !part.success) return [];
    const call = parts.find((one) => one.type === "tool_call" && one.id === part.toolCallId);
    return call?.type === "tool_call"
      ? [{ name: call.name, arguments: call.arguments, output: part.output }]
      : [];
  });
}

/** What the person wrote in this turn: their last message, and what they sent into the run. What they say to a plan replaces it. */
function newestTexts(history: readonly Message[], parts: readonly Part[]): string[] {
  if (parts.some((part) => part.type === "tool_call" && part.name === PLAN_TOOL)) return [];
  const last = history.at(-1);
  const said = last?.role === "user" && !wasImported(last) ? [textOf(last)] : [];
  for (const part of parts) if (isSentIn(part) && part.type === "text") said.push(part.text);
  return said;
}

/** Where a result comes from, for people: its sources, or the tool. */
function namesOf({ sources, toolName }: ToolResultPart): string[] {
  return sources && sources.length > 0 ? sources : [toolName];
}

/** The output of a tool that changes something, such as a command, is private data too; so is all that servers say. */
function isPrivate({ private: isPrivate, effect, sources, toolName, fromClient }: ToolResultPart): boolean {
  if (isPrivate || fromClient || effect === "read" || effect === "write") return true;
  // Results of servers, from before their sources were noted.
  return sources === undefined && toolName.includes(".");
}

function wasImported({ parts }: Message): boolean {
  return parts.some((part) => part.type === "text" && part.origin === "import");
}

/** The servers whose interfaces wrote a message, or something besides it. */
function appsIn({ parts }: Message): string[] {
  return parts.flatMap((part) =>
    part.type === "text" ? [part.app ?? [], (part.apps ?? []).map(({ server }) => server)].flat() : [],
  );
}

function hasAttachment({ role, parts }: Message): boolean {
  return role === "user" && parts.some(isFile);
}

function isFile(part: Part): boolean {
  return part.type === "image" || (part.type === "text" && part.file !== undefined);
}
