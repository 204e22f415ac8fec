import { parseArgs } from "node:util";
import { Failure } from "../protocol/failure.ts";
import { type AllowRule, parseAllowRule } from "./allow.ts";

export interface CommandLine {
  command: CommandName;
  /** Where the server listens. */
  port?: string;
  host?: string;
  data?: string;
  /** A server to join instead of running in this process. */
  server?: string;
  /** The session to go on with, by id, or the last one. */
  resume?: string;
  model?: string;
  allow: AllowRule[];
  prompt: string;
  json: boolean;
  /** The archive to write or read. */
  file?: string;
  /** The database to move to. */
  to?: string;
  /** Replace what is there. */
  force: boolean;
}

const COMMAND_NAMES = [
  "serve",
  "chat",
  "tools",
  "models",
  "doctor",
  "policy",
  "mcp",
  "backup",
  "restore",
  "migrate",
] as const;
export type CommandName = (typeof COMMAND_NAMES)[number] | "print" | "help" | "version";

const OPTIONS = {
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
  print: { type: "string", short: "p" },
  json: { type: "boolean" },
  continue: { type: "boolean", short: "c" },
  resume: { type: "string" },
  model: { type: "string" },
  "allow-tool": { type: "string", multiple: true },
  server: { type: "string" },
  data: { type: "string" },
  port: { type: "string" },
  host: { type: "string" },
  to: { type: "string" },
  force: { type: "boolean" },
} as const;
type OptionName = keyof typeof OPTIONS;

const TALKING: OptionName[] = ["server", "data", "continue", "resume", "model", "allow-tool"];
const LISTING: OptionName[] = ["server", "data", "json"];
const TAKES: Record<CommandName, OptionName[]> = {
  serve: ["port", "host", "data", "model"],
  chat: TALKING,
  print: [...TALKING, "print", "json"],
  tools: LISTING,
  models: LISTING,
  doctor: LISTING,
  policy: ["data", "json"],
  mcp: ["server", "data"],
  backup: ["data", "force"],
  restore: ["data", "force"],
  migrate: ["data", "force", "to"],
  help: [],
  version: [],
};

/** Reads the command line. Throws INVALID_INPUT with one line that says what is wrong with it. */
export function parseCommandLine(argv: string[]): CommandLine {
  const { values, positionals } = parse(joinPrompt(argv));
  const [word, ...rest] = positionals;
  const common = { allow: [], prompt: "", json: false, force: false };
  if (values.help || word === "help") return { ...common, command: "help" };
  if (values.version) return { ...common, command: "version" };
  const command = values.print === undefined ? commandOf(word) : "print";
  const extra = command === "print" ? (word === "chat" ? rest : positionals) : rest;
  if (command === "policy" && extra.shift() !== "test")
    throw usage("what there is for a policy is: tackle policy test.");
  const file = command === "backup" || command === "restore" ? extra.shift() : undefined;
  if ((command === "backup" || command === "restore") && file === undefined)
    throw usage(`tackle ${command} wants the name of a file.`);
  if (command === "migrate" && !/^postgres(ql)?:\/\//.test(values.to ?? ""))
    throw usage("tackle migrate wants --to and a postgres:// address.");
  if (extra[0] !== undefined) {
    throw usage(`"${extra[0]}" is one word too many. A prompt goes in quotes: tackle -p "…".`);
  }
  for (const name of Object.keys(values)) {
    if (!TAKES[command].includes(name as OptionName)) {
      const where = command === "print" ? "tackle -p" : `tackle ${command}`;
      throw usage(`--${name} means nothing to ${where}.`);
    }
  }
  if (values.continue && values.resume !== undefined) throw usage("-c and --resume exclude each other.");
  const resume = values.continue ? "last" : values.resume;
  return {
    command,
    allow: (values["allow-tool"] ?? []).map(parseAllowRule),
    prompt: values.print ?? "",
    json: values.json ?? false,
    force: values.force ?? false,
    ...(file === undefined ? {} : { file }),
    ...(values.to === undefined ? {} : { to: values.to }),
    ...(values.port === undefined ? {} : { port: values.port }),
    ...(values.host === undefined ? {} : { host: values.host }),
    ...(values.data === undefined ? {} : { data: values.data }),
    ...(values.server === undefined ? {} : { server: values.server }),
    ...(values.model === undefined ? {} : { model: values.model }),
    ...(resume === undefined ? {} : { resume }),
  };
}

function parse(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : "";
    const unknown = /Unknown option '([^']+)'/.exec(message)?.[1];
    if (unknown !== undefined) throw usage(`there is no option ${unknown}.`);
    throw usage(`${message.split(/[.\n]/, 1)[0]?.replace(/^Option /, "")}.`);
  }
}

function commandOf(word: string | undefined): CommandName {
  if (word === undefined) return "chat";
  const known = COMMAND_NAMES.find((name) => name === word);
  if (!known) throw usage(`there is no command ${word}.`);
  return known;
}

/** Makes what follows `-p` its value, whatever it begins with; without anything the prompt is what is piped in. */
function joinPrompt(argv: string[]): string[] {
  const at = argv.findIndex((word) => word === "-p" || word === "--print");
  const end = argv.indexOf("--");
  if (at === -1 || (end !== -1 && end < at)) return argv;
  const next = argv[at + 1];
  const bare = next === undefined || isOption(next);
  return [...argv.slice(0, at), `--print=${bare ? "" : next}`, ...argv.slice(at + (bare ? 1 : 2))];
}

function isOption(word: string): boolean {
  return Object.entries(OPTIONS).some(
    ([name, option]) =>
      word === `--${name}` ||
      word.startsWith(`--${name}=`) ||
      ("short" in option && word === `-${option.short}`),
  );
}

function usage(sentence: string): Failure {
  return new Failure("INVALID_INPUT", `${sentence} tackle --help shows what there is.`);
}
