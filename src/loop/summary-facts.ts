import type { Summary, Taint } from "../protocol/context.ts";
import { parseObject } from "../protocol/json.ts";
import type { Message, Part, TextPart, ToolCallPart } from "../protocol/messages.ts";
import { inSlices } from "../protocol/slices.ts";
import { todoIn } from "../protocol/todo.ts";
import type { Cut } from "./context.ts";
import { fitQuotes, quotesFrom } from "./person-words.ts";
import { oneLine } from "./shown-results.ts";
import { situationOf } from "./situation.ts";

/** What is known about the replaced messages without asking a model. */
export type SummaryFacts = Omit<Summary, "text" | "notes">;

const MOST_FILES = 60;
const MOST_ARTIFACTS = 20;

/** Gathers what is known about the messages that a cut replaces. */
export async function factsOf(
  replaced: readonly (Message & { createdAt?: string })[],
  cut: Cut,
  earlier: Summary | undefined,
  window: number,
): Promise<SummaryFacts> {
  const quotes = await inSlices(quotesFrom(replaced));
  const calls = replaced.flatMap(({ parts }) => parts).filter((part) => part.type === "tool_call");
  const results = replaced.flatMap(({ parts }) => parts).filter((part) => part.type === "tool_result");
  const files = calls.flatMap(fileOf);
  const changed = files.filter(({ changes }) => changes).map(({ path }) => path);
  const read = files.filter(({ changes }) => !changes).map(({ path }) => path);
  const artifacts = results
    .filter(({ toolName, success }) => toolName === "generate_artifact" && success)
    .map(({ output }) => oneLine(output, 160));
  const newest = replaced.findLast(({ role, createdAt }) => role === "user" && createdAt !== undefined);
  const day = newest?.createdAt?.slice(0, 10) ?? earlier?.day;
  const git = replaced.flatMap(({ parts }) => parts).findLast(hasGit)?.git ?? earlier?.git;
  return {
    before: cut.before,
    from: cut.from,
    quotes: fitQuotes([...(earlier?.quotes ?? []), ...quotes], window),
    filesChanged: newestOf([...(earlier?.filesChanged ?? []), ...changed], MOST_FILES),
    filesRead: newestOf([...(earlier?.filesRead ?? []), ...read], MOST_FILES),
    artifacts: newestOf([...(earlier?.artifacts ?? []), ...artifacts], MOST_ARTIFACTS),
    taint: taintOf(replaced, earlier?.taint),
    messages: (earlier?.messages ?? 0) + replaced.length,
    todo:
      todoIn(replaced)?.map(({ text, state }) => `${state}: ${oneLine(text, 200)}`) ?? earlier?.todo ?? [],
    day,
    git,
  };
}

function hasGit(part: Part): part is TextPart {
  return part.type === "text" && part.git !== undefined;
}

function newestOf(names: readonly string[], most: number): string[] {
  return [...new Set(names.toReversed())].slice(0, most).toReversed();
}

function taintOf(replaced: readonly Message[], earlier: Taint | undefined): Taint {
  const { outside, workspace, privateReads, suspicious } = situationOf(replaced, []);
  const union = (
    name: keyof Pick<Taint, "outside" | "workspace" | "privateReads" | "suspicious">,
    now: readonly string[],
  ) => [...new Set([...(earlier?.[name] ?? []), ...now])];
  return {
    outside: union("outside", outside),
    workspace: union("workspace", workspace),
    privateReads: union("privateReads", privateReads),
    suspicious: union("suspicious", suspicious),
  };
}

const READS = new Set(["read", "list", "exists", "metadata", "search"]);

function fileOf({ name, arguments: text }: ToolCallPart): { path: string; changes: boolean }[] {
  if (name !== "filesystem") return [];
  const { path, operation } = parseObject(text) ?? {};
  if (typeof path !== "string" || path === "") return [];
  return [{ path: oneLine(path, 200), changes: !READS.has(String(operation)) }];
}
