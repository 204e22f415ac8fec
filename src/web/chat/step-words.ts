import { failedEnd } from "../../protocol/commands.ts";
import { isObject } from "../../protocol/json.ts";
import type { ToolCallState } from "../../protocol/reduce.ts";
import type { TextKey } from "../text/english.ts";
import { t } from "../text/t.ts";
import { language } from "../text/translate.ts";
import type { IconName } from "../ui/icons.tsx";

type Kind =
  | "time"
  | "search"
  | "page"
  | "read"
  | "look"
  | "change"
  | "command"
  | "artifact"
  | "image"
  | "ask"
  | "plan"
  | "list"
  | "task"
  | "memory"
  | "service";

const KINDS: Record<string, Kind> = {
  get_time: "time",
  "browser.search": "search",
  web_search: "search",
  web_fetch: "page",
  execute_command: "command",
  generate_artifact: "artifact",
  generate_image: "image",
  ask_user: "ask",
  propose_plan: "plan",
  todo: "list",
  delegate: "task",
  search_files: "look",
  remember: "memory",
};

const ICONS: Record<Kind, IconName> = {
  time: "clock",
  search: "search",
  page: "outside",
  read: "file",
  look: "search",
  change: "edit",
  command: "terminal",
  artifact: "artifact",
  image: "artifact",
  ask: "person",
  plan: "check",
  list: "check",
  task: "tools",
  memory: "memory",
  service: "tools",
};

/** Several calls of these kinds are counted. */
const COUNTED: Partial<Record<Kind, TextKey>> = {
  time: "timesDone",
  page: "pagesDone",
  read: "readsDone",
  change: "changesDone",
  command: "commandsDone",
  task: "tasksDone",
};
/** What these have made is shown as its own card. */
const SHOWN_AS_CARDS = new Set<Kind>(["artifact", "image"]);
const CODE_KINDS = new Set<Kind>(["command", "read", "change"]);
const CHANGES = new Set(["write", "edit", "move", "delete"]);
const MAX_KINDS = 3;
const MAX_NAME = 40;

/** Returns the icon of a call. */
export function iconOf(call: ToolCallState): IconName {
  return ICONS[kindOf(call)];
}

/** Says in a few words what a call does, has done or has failed to do. */
export function wordsOf(call: ToolCallState, status: ToolCallState["status"]): string {
  const kind = kindOf(call);
  const answer = kind === "ask" ? [call.question?.answer ?? []].flat().join(", ") : "";
  if (status === "succeeded" && answer !== "") return t("askAnswered", { answer: shortened(answer) });
  if (status === "succeeded")
    return t(`${kind}${endedBadly(call) ? "Failed" : "Done"}`, { name: nameOf(call) });
  // A name that was cut ends as the words do.
  if (status !== "failed") return t(`${kind}Going`, { name: nameOf(call) }).replace(/…\s*…$/, "…");
  const name = nameOf(call);
  return call.error?.code === "TOOL_DENIED"
    ? t(`denied${actOf(call)}`, { name })
    : t(`${kind}Failed`, { name });
}

/** Says the same as `wordsOf`, and what was searched for. */
export function wholeWordsOf(call: ToolCallState, status: ToolCallState["status"]): string {
  const kind = kindOf(call);
  const found = status === "succeeded" && !endedBadly(call) ? call.search : undefined;
  if (!found || (kind !== "search" && kind !== "look")) return wordsOf(call, status);
  return t(`${kind}DoneFor`, { query: shortened(found.rewrittenQuery ?? found.query) });
}

/** Returns one sentence about all calls of an answer that have ended: one kind after the other, in their order. */
export function sentenceOf(calls: readonly ToolCallState[]): string {
  const phrases: string[] = [];
  for (const [kind, members] of Map.groupBy(calls, kindOf)) {
    const bad = members.filter(hasFailed);
    const good = members.filter((call) => !bad.includes(call));
    const many = COUNTED[kind];
    if (!SHOWN_AS_CARDS.has(kind)) {
      if (good.length > 1 && many) phrases.push(t(many, { count: good.length }));
      else for (const phrase of new Set(good.map((call) => wordsOf(call, "succeeded")))) phrases.push(phrase);
    }
    for (const phrase of new Set(bad.map((call) => wordsOf(call, "failed")))) phrases.push(phrase);
  }
  return capitalized(joined(phrases.slice(0, MAX_KINDS)), calls);
}

/** Returns a text with its first letter in upper case, unless it begins with the name of what a call is about. */
export function capitalized(text: string, calls: readonly ToolCallState[] = []): string {
  if (calls.some((call) => kindOf(call) !== "service" && text.startsWith(nameOf(call)))) return text;
  return text.slice(0, 1).toLocaleUpperCase(language()) + text.slice(1);
}

function joined(phrases: readonly string[]): string {
  return new Intl.ListFormat(language()).format(phrases);
}

/** Returns true for a call that has not done what it was to do, such as a command that ended badly. */
export function hasFailed(call: ToolCallState): boolean {
  return call.status !== "succeeded" || endedBadly(call);
}

function endedBadly(call: ToolCallState): boolean {
  return failedEnd(call.toolName, call.output) !== undefined;
}

function kindOf({ toolName, arguments: args }: ToolCallState): Kind {
  if (toolName === "filesystem") {
    const operation = isObject(args) ? String(args.operation) : "";
    return CHANGES.has(operation) ? "change" : operation === "read" ? "read" : "look";
  }
  return KINDS[toolName] ?? "service";
}

/** Returns what a call is about: the command, the file, the site, the service. */
export function nameOf({ toolName, arguments: args }: ToolCallState): string {
  const { command, url, path, title, task } = isObject(args) ? args : {};
  if (typeof command === "string") return shortened(command);
  if (typeof path === "string") return shortened(path.split("/").at(-1) || path);
  if (typeof url === "string") return hostOf(url);
  if (typeof title === "string") return shortened(title);
  if (typeof task === "string") return shortened(task);
  const [service = toolName] = toolName.split(".");
  return spelledOut(service);
}

/** Returns what of a sentence about a call is code: the command or the file. */
export function codeIn(call: ToolCallState): string | undefined {
  return CODE_KINDS.has(kindOf(call)) ? nameOf(call) : undefined;
}

/** Returns a tool's name as words. */
export function spelledOut(toolName: string): string {
  return capitalized(toolName.replaceAll(/[._-]+/g, " "));
}

/** What a call would do, in the words of the question whether it may. */
export type Act = "Run" | "Change" | "Move" | "Delete" | "Open" | "Remember" | "Use";

/** Returns what a call would do. */
export function actOf(call: ToolCallState): Act {
  const operation = isObject(call.arguments) ? call.arguments.operation : undefined;
  switch (kindOf(call)) {
    case "command":
      return "Run";
    case "page":
      return "Open";
    case "memory":
      return "Remember";
    case "change":
      return operation === "delete" ? "Delete" : operation === "move" ? "Move" : "Change";
    default:
      return "Use";
  }
}

/** Returns true for a call that has changed a file. */
export function changesFiles(call: ToolCallState): boolean {
  return kindOf(call) === "change" && call.status === "succeeded";
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, "") : shortened(url);
}

function shortened(text: string): string {
  const line = text.trim().split("\n")[0] ?? "";
  return line.length > MAX_NAME ? `${line.slice(0, MAX_NAME)}…` : line;
}
