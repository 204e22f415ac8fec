import type { ModelListing, ToolListing } from "../protocol/chat.ts";
import { truncate, widthOf, wrap } from "./lines.ts";
import type { Paint } from "./style.ts";
import { oneLine } from "./wording.ts";

/** A table of the tools. */
export function toolLines(tools: ToolListing[], columns: number, paint: Paint): string[] {
  const rows = tools.map((tool) => [
    oneLine(tool.name),
    tool.effect,
    oneLine(tool.source),
    firstSentence(tool.description),
  ]);
  return table(["NAME", "EFFECT", "SOURCE", "WHAT IT DOES"], rows, columns, paint);
}

/** A table of the models. A star marks the default. */
export function modelLines(models: ModelListing[], columns: number, paint: Paint): string[] {
  const rows = models.map((model) => [
    `${model.default ? "*" : " "} ${oneLine(model.id)}`,
    model.contextWindow === undefined ? "–" : tokens(model.contextWindow),
    model.supportsTools ? "yes" : "no",
    model.supportsImages ? "yes" : "no",
    [model.label === model.id ? "" : oneLine(model.label), endingMark(model)].filter(Boolean).join(", "),
  ]);
  return table(["  MODEL", "CONTEXT", "TOOLS", "IMAGES", ""], rows, columns, paint);
}

/** Rows in aligned columns under a header. The last column is cut to the width. */
export function table(head: string[], rows: string[][], columns: number, paint: Paint): string[] {
  const widths = head.map((title, at) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? "")), widthOf(title)),
  );
  const draw = (row: string[]) => {
    const line = row
      .map((cell, at) => cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell))))
      .join("  ");
    return truncate(line.trimEnd(), columns);
  };
  return [paint("dim", draw(head)), ...rows.map(draw)];
}

export interface DoctorCheck {
  name: string;
  /** `warn`: it works, but something useful is missing. */
  ok: boolean | "warn";
  detail: string;
  fix?: string;
}

/** The checks of the doctor, each with its fix if one is needed. */
export function doctorLines(checks: DoctorCheck[], columns: number, paint: Paint): string[] {
  const width = Math.max(...checks.map(({ name }) => widthOf(name)));
  return checks.flatMap(({ name, ok, detail, fix }) => {
    const mark = ok === true ? paint("green", "✓") : ok === "warn" ? paint("yellow", "!") : paint("red", "✗");
    const head = `${mark} ${name.padEnd(width)}  ${truncate(oneLine(detail), columns - width - 4)}`;
    return ok === true || fix === undefined ? [head] : [head, `  ${" ".repeat(width)}  ${paint("dim", fix)}`];
  });
}

/** A test of a policy. */
export interface PolicyCheck {
  tool: string;
  arguments: Record<string, unknown>;
  expected: string;
  /** What the rules say. Undefined if there is no such tool. */
  said: string | undefined;
}

/** The failed tests of a policy, and how many passed. */
export function policyLines(checks: PolicyCheck[], file: string): string[] {
  const wrong = checks.filter(({ expected, said }) => expected !== said);
  const words = wrong.map(({ tool, arguments: args, expected, said }) => {
    return `✗ ${tool} ${JSON.stringify(args)}: expected ${expected}, the policy says ${said ?? "nothing, because there is no such tool"}`;
  });
  const sum = `${checks.length - wrong.length} of ${checks.length} policy tests passed.`;
  const hint = checks.length === 0 ? [`Add tests under "tests" in ${file}.`] : [];
  return [...words, sum, ...hint];
}

/** What the server prints when it is ready. */
export function serveLines({ url, model, version, setUp, processes }: ServeFacts): string[] {
  const isEverywhere = EVERY_ADDRESS.test(url);
  const demo = [
    "Model: demo/demo, the offline demo model. No API key is set.",
    "To use a real model, open that page and add a key under Settings, Models and",
    "keys. Or set one for everybody, such as ANTHROPIC_API_KEY or OPENAI_API_KEY,",
    "and start again. Or start Ollama on this machine.",
  ];
  return [
    `Tackle ${version} is ready at ${openable(url)}`,
    ...(isEverywhere ? ["From other machines, open it by the name or an address of this one."] : []),
    ...(model === "demo/demo" ? demo : [`Model: ${model}`]),
    ...(processes === undefined
      ? []
      : [`${processes} processes share the port. SIGHUP restarts them one by one.`]),
    ...(setUp
      ? ["There is no account yet. Create the administrator's with this link:", `  ${openable(setUp)}`]
      : []),
    "Press Ctrl-C to stop it.",
  ];
}

const EVERY_ADDRESS = /^http:\/\/(?:0\.0\.0\.0|\[::\])(?=:)/;

/** An address that a browser on this machine opens. A server can listen on `0.0.0.0`, but a browser cannot open it. */
function openable(url: string): string {
  return url.replace(EVERY_ADDRESS, "http://127.0.0.1");
}

interface ServeFacts {
  url: string;
  model: string;
  version: string;
  /** The link that creates the first account. */
  setUp?: string | undefined;
  /** How many there are, if more than one. */
  processes?: number;
}

/** How to get more models, below a list of them. */
export function moreModelsLines(columns: number, paint: Paint, before = ""): string[] {
  return wrap([{ text: before + MORE_MODELS, format: "dim" }], columns, paint);
}

const MORE_MODELS =
  "For more, set one of ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, ZAI_API_KEY or OPENROUTER_API_KEY, or start Ollama.";

function firstSentence(text: string): string {
  const line = oneLine(text);
  return /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
}

/** Says in a few words that a model will be shut down. */
function endingMark({ deprecated, shutdownDate, successor }: ModelListing): string {
  if (!deprecated) return "";
  const then = successor === undefined ? "" : `, then ${oneLine(successor)}`;
  return shutdownDate === undefined ? `deprecated${then}` : `until ${oneLine(shutdownDate)}${then}`;
}

function tokens(count: number): string {
  return count >= 1_000_000 ? `${Number((count / 1_000_000).toFixed(1))}M` : `${Math.round(count / 1000)}k`;
}
