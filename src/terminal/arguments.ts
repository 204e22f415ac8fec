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
  /** The archive or recording to write or read. */
  file?: string;
  /** Where runs are written down. */
  record?: string;
  /** How fast a recording is played; at once where nothing is said. */
  speed?: number;
  /** Which recorded calls run again. */
  tools?: "recorded" | "live" | string[];
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
  "replay",
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
  record: { type: "string" },
  speed: { type: "string" },
  tools: { type: "string" },
} as const;
type OptionName = keyof typeof OPTIONS;

const TALKING: OptionName[] = [
  "server",
  "data",
  "continue",
  "resume",
  "model",
  "allow-tool",
  "record",
  "force",
];
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
  replay: ["data", "json", "model", "allow-tool", "speed", "tools"],
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
  const wantsFile = command === "backup" || command === "restore" || command === "replay";
  const file = wantsFile ? extra.shift() : undefined;
  if (wantsFile && file === undefined) throw usage(`tackle ${command} wants the name of a file.`);
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
  if (values.record !== undefined && values.server !== undefined)
    throw usage("--record works where the model is asked from here, not with --server.");
  if (values.record === "") throw usage("--record wants the name of a file.");
  const resume = values.continue ? "last" : values.resume;
  return {
    command,
    allow: (values["allow-tool"] ?? []).map(parseAllowRule),
    prompt: values.print ?? "",
    json: values.json ?? false,
    force: values.force ?? false,
    ...(file === undefined ? {} : { file }),
    ...(values.to === undefined ? {} : { to: values.to }),
    ...(values.record === undefined ? {} : { record: values.record }),
    ...(values.speed === undefined ? {} : { speed: speedOf(values.speed) }),
    ...(values.tools === undefined ? {} : { tools: toolsOf(values.tools) }),
    ...(values.port === undefined ? {} : { port: values.port }),
    ...(values.host === undefined ? {} : { host: values.host }),
    ...(values.data === undefined ? {} : { data: values.data }),
    ...(values.server === undefined ? {} : { server: values.server }),
    ...(values.model === undefined ? {} : { model: values.model }),
    ...(resume === undefined ? {} : { resume }),
  };
}

function speedOf(text: string): number {
  const speed = Number(text);
  if (text.trim() === "" || !(speed > 0 && speed <= 1_000))
    throw usage("--speed is a number: 1 takes the time that it took, 2 half of it.");
  return speed;
}

function toolsOf(text: string): "recorded" | "live" | string[] {
  if (text === "recorded" || text === "live") return text;
  const names = text.split(",").map((name) => name.trim());
  if (names.includes(""))
    throw usage("--tools is recorded, live, or names of tools with commas between them.");
  return names;
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
