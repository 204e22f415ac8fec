import { isObject } from "../../protocol/json.ts";

/** What an MCP server is added with. */
interface Entry {
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  url?: string;
  headers?: Record<string, string>;
}

/** Reads lines such as `NAME=value` or `Name: value`. Returns undefined if a line is none. */
export function pairsOf(text: string, sign: "=" | ":"): Record<string, string> | undefined {
  const pairs: [string, string][] = [];
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line === "") continue;
    const at = line.indexOf(sign);
    const name = line.slice(0, at).replace(/^export\s+/, "");
    if (at < 1 || /\s/.test(name.trim())) return undefined;
    pairs.push([name.trim(), withoutQuotes(line.slice(at + 1).trim())]);
  }
  return Object.fromEntries(pairs);
}

/** Splits a command line as a shell does. Variables in front of the program are set for it alone. */
export function commandOf(line: string): Entry {
  const words = wordsOf(line);
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const [command = "", ...args] = first < 0 ? words : words.slice(first);
  const set = first > 0 ? pairsOf(words.slice(0, first).join("\n"), "=") : undefined;
  return { command, args, ...(set && { env: set }) };
}

/** Reads the first server of an `mcp.json`, or an entry of one, as pages about MCP servers print them. */
export function pastedEntry(text: string): Entry | undefined {
  if (!text.trim().startsWith("{")) return undefined;
  try {
    const root: unknown = JSON.parse(text);
    const list = isObject(root) ? (root.mcpServers ?? root.servers ?? root) : undefined;
    const entry =
      isObject(list) && !("command" in list || "url" in list) ? Object.values(list).find(isObject) : list;
    if (!isObject(entry)) return undefined;
    const { command, args, env, url, headers } = entry;
    if (typeof command === "string")
      return { command, args: textsOf(args), ...(isObject(env) && { env: texts(env) }) };
    return typeof url === "string"
      ? { url, ...(isObject(headers) && { headers: texts(headers) }) }
      : undefined;
  } catch {
    return undefined; // A command line in braces.
  }
}

/** The words of a command line. Quotes may stand within a word. */
function wordsOf(line: string): string[] {
  const word = /(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\]|["'\\])+/gs;
  const part = /"((?:\\.|[^"\\])*)"|'([^']*)'|\\([\s"'\\])/gs;
  return [...line.matchAll(word)].map(([text]) =>
    text.replace(part, (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? "") : double.replace(/\\(["\\])/g, "$1"),
    ),
  );
}

/** Writes a command so that it is read as the same words again. */
export function commandLine({ command = "", args = [] }: Pick<Entry, "command" | "args">): string {
  const quoted = (word: string) => `"${word.replace(/["\\]/g, "\\$&")}"`;
  return [command, ...args].map((word) => (/^[^\s"'\\]+$/.test(word) ? word : quoted(word))).join(" ");
}

function withoutQuotes(value: string): string {
  return /^(["'])(.*)\1$/s.exec(value)?.[2] ?? value;
}

function textsOf(values: unknown): string[] {
  return Array.isArray(values) ? values.map(String) : [];
}

function texts(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}
