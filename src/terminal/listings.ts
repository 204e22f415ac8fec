import type { ModelListing, ToolListing } from "../protocol/chat.ts";
import { truncate, widthOf } from "./lines.ts";
import type { Paint } from "./style.ts";
import { oneLine } from "./wording.ts";

/** The tools in aligned columns: name, effect, where it comes from, what it does. */
export function toolLines(tools: ToolListing[], columns: number, paint: Paint): string[] {
  const rows = tools.map((tool) => [
    oneLine(tool.name),
    tool.effect,
    oneLine(tool.source),
    firstSentence(tool.description),
  ]);
  return table(["NAME", "EFFECT", "SOURCE", "WHAT IT DOES"], rows, columns, paint);
}

/** The models in aligned columns; the one that answers when nothing is said has a star. */
export function modelLines(models: ModelListing[], columns: number, paint: Paint): string[] {
  const rows = models.map((model) => [
    `${model.default ? "*" : " "} ${oneLine(model.id)}`,
    model.contextWindow === undefined ? "–" : tokens(model.contextWindow),
    model.supportsTools ? "yes" : "no",
    model.supportsImages ? "yes" : "no",
    model.label === model.id ? "" : oneLine(model.label),
  ]);
  return table(["  MODEL", "CONTEXT", "TOOLS", "IMAGES", ""], rows, columns, paint);
}

/** Rows under a head, each column as wide as it must be, the last cut to what is left. */
export function table(head: string[], rows: string[][], columns: number, paint: Paint): string[] {
  const widths = head.map((title, at) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[at] ?? ""))),
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

/** The findings of the doctor, each with what to do about it where something is to be done. */
export function doctorLines(checks: DoctorCheck[], columns: number, paint: Paint): string[] {
  const width = Math.max(...checks.map(({ name }) => widthOf(name)));
  return checks.flatMap(({ name, ok, detail, fix }) => {
    const mark = ok === true ? paint("green", "✓") : ok === "warn" ? paint("yellow", "!") : paint("red", "✗");
    const head = `${mark} ${name.padEnd(width)}  ${truncate(oneLine(detail), columns - width - 4)}`;
    return ok === true || fix === undefined ? [head] : [head, `  ${" ".repeat(width)}  ${paint("dim", fix)}`];
  });
}

interface PolicyCheck {
  tool: string;
  arguments: unknown;
  expected: string;
  said?: string | undefined;
}

/** Which tests of a policy fail, and how many hold. */
export function policyLines(checks: PolicyCheck[], file: string): string[] {
  const wrong = checks.filter(({ expected, said }) => expected !== said);
  const words = wrong.map(({ tool, arguments: args, expected, said }) => {
    return `✗ ${tool} ${JSON.stringify(args)}: expected ${expected}, the policy says ${said ?? "nothing: there is no such tool"}`;
  });
  const sum = `${checks.length - wrong.length} of ${checks.length} tests of the policy hold.`;
  const hint = checks.length === 0 ? [`Write some under "tests" in ${file}.`] : [];
  return [...words, sum, ...hint];
}

/** What the server says when it is ready. */
export function serveLines(url: string, model: string, version: string): string[] {
  const ready = `Tackle ${version} is ready at ${url}`;
  if (model !== "demo/demo") return [ready, `Model: ${model}`, "Ctrl-C stops it."];
  return [
    ready,
    "Model: demo/demo, the offline demo model: no key is set, and it only plays a model.",
    "To connect a real one, set a key and start again, for example ANTHROPIC_API_KEY=… or OPENAI_API_KEY=…,",
    "or start Ollama on this machine. tackle models shows what is there.",
    "Ctrl-C stops it.",
  ];
}

/** What to set to have more models than are there now. */
export const MORE_MODELS =
  "For more, set one of ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, ZAI_API_KEY or OPENROUTER_API_KEY, or start Ollama.";

function firstSentence(text: string): string {
  const line = oneLine(text);
  return /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
}

function tokens(count: number): string {
  return count >= 1_000_000 ? `${Number((count / 1_000_000).toFixed(1))}M` : `${Math.round(count / 1000)}k`;
}
