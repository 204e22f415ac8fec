import { parseArgs } from "node:util";
import { editDistance } from "../protocol/edit-distance.ts";
import { Failure } from "../protocol/failure.ts";
import { type AllowRule, parseAllowRule } from "./allow-rule.ts";
import {
  COMMANDS,
  type CommandName,
  EXCLUSIVE,
  OPTIONS,
  type OptionName,
  rowOf,
  typed,
} from "./command-table.ts";

export interface CommandLine {
  command: CommandName;
  port?: string;
  host?: string;
  processes?: string;
  data?: string;
  /** A server to use instead of running in this process. */
  server?: string;
  /** The session to continue: its id, or "last". */
  resume?: string;
  model?: string;
  allow: AllowRule[];
  /** Use what the directory says without asking. */
  trust?: boolean;
  /** The question of -p, or the first message of a chat. */
  prompt: string;
  json: boolean;
  /** The words after a command that takes any number of them. */
  words: readonly string[];
  /** Do not ask before money is spent. */
  yes: boolean;
  /** The archive or recording to write or read. */
  file?: string;
  /** The file to record runs to. */
  record?: string;
  /** The speed of a replay; without it there is no delay. */
  speed?: number;
  /** Which recorded calls run again. */
  tools?: "recorded" | "live" | string[];
  /** The database to migrate to. */
  to?: string;
  /** Replace what exists. */
  force: boolean;
  /** Which entries of the audit log. */
  since?: string;
  actor?: string;
  action?: string;
  session?: string;
  limit?: number;
  follow?: boolean;
  /** Print the state of the server once. */
  once?: boolean;
  /** The hash of an entry that the audit log must have. */
  from?: string;
  /** The command that help is wanted about. */
  topic?: CommandName;
}

type Values = ReturnType<typeof parse>["values"];

/** Reads the command line by the tables. Throws INVALID_INPUT with one sentence. */
export function parseCommandLine(argv: string[]): CommandLine {
  const { values, positionals } = parse(joinPrompt(argv));
  const { command, operands } = commandIn(values, positionals);
  if (command === "help") return { ...toCommandLine(command, {}, undefined, []), topic: topicIn(operands) };
  if (command === "version") return toCommandLine(command, {}, undefined, []);
  const { operand, options, requires } = rowOf(command);
  const words = operand === "[P/M…]" ? operands.splice(0) : [];
  const word = operand && operands.shift();
  if (operand === "FILE" && word === undefined) throw usage(`${typed(command)} needs the name of a file.`);
  if (operand === "test" && word !== operand) throw usage(`the command is ${typed(command)} ${operand}.`);
  if (operands[0] !== undefined) throw oneTooMany(command, operands[0]);
  const given = Object.keys(values) as OptionName[];
  for (const name of given) {
    if (!options.includes(name)) throw usage(`${typed(command)} has no option --${name}.`);
    checkValue(name, values[name]);
  }
  if (requires && !given.includes(requires)) checkValue(requires, "");
  for (const [one, other] of EXCLUSIVE) {
    if (given.includes(one) && given.includes(other))
      throw usage(`--${one} and --${other} cannot be used together.`);
  }
  return toCommandLine(command, operand === '["…"]' ? { ...values, print: word ?? "" } : values, word, words);
}

function commandIn(values: Values, positionals: string[]): { command: CommandName; operands: string[] } {
  const [word, ...rest] = positionals;
  if (values.help || word === "help")
    return { command: "help", operands: word === "help" ? rest : positionals };
  if (values.version || word === "version") return { command: "version", operands: [] };
  if (values.print !== undefined) return { command: "print", operands: word === "chat" ? rest : positionals };
  if (word === undefined) return { command: "chat", operands: [] };
  const both = `${word} ${rest[0]}`;
  if (isCommand(both)) return { command: both, operands: rest.slice(1) };
  if (isCommand(word)) return { command: word, operands: rest };
  // A sentence is the first message. A single word may as well be a command with a slip in it.
  const meant = /\s/.test(word) ? undefined : commandLike(word);
  if (meant !== undefined) throw usage(`there is no command ${word}. Do you mean ${typed(meant)}?`);
  if (rest.length > 0 && !/\s/.test(word)) throw usage(`there is no command ${word}.`);
  return { command: "chat", operands: positionals };
}

function isCommand(words: string): words is CommandName {
  return Object.hasOwn(COMMANDS, words) && words !== "print";
}

function topicIn(words: readonly string[]): CommandName | undefined {
  return [words.slice(0, 2).join(" "), words[0] ?? ""].find(isCommand);
}

/** The command that words differ from by at most two letters. */
function commandLike(words: string): CommandName | undefined {
  return nearest(words, Object.keys(COMMANDS).filter(isCommand));
}

function nearest<Name extends string>(word: string, names: readonly Name[]): Name | undefined {
  return names.find((name) => editDistance(word.toLowerCase(), name) <= Math.min(2, name.length / 2 - 1));
}

function oneTooMany(command: CommandName, word: string): Failure {
  const where = `"${word}" is one word too many`;
  if (command === "chat" || command === "print")
    return usage(`${where}. Put a prompt in quotes: tackle -p "…".`);
  const meant = commandLike(`${command} ${word}`);
  return usage(`${where} after ${typed(command)}.${meant ? ` Do you mean ${typed(meant)}?` : ""}`);
}

function checkValue(name: OptionName, value: Values[OptionName]): void {
  const option = OPTIONS[name];
  if ("needs" in option && !option.needs.test(String(value)))
    throw usage(`--${name} needs ${option.needs.what}.`);
}

function toCommandLine(
  command: CommandName,
  values: Values,
  file: string | undefined,
  words: readonly string[],
): CommandLine {
  const { print, continue: last, "allow-tool": allow = [], speed, tools, limit, ...plain } = values;
  return {
    ...plain,
    command,
    file,
    words,
    yes: values.yes ?? false,
    prompt: print ?? "",
    json: values.json ?? false,
    force: values.force ?? false,
    allow: allow.map(parseAllowRule),
    resume: last ? "last" : values.resume,
    limit: limit === undefined ? undefined : Number(limit),
    speed: speed === undefined ? undefined : Number(speed),
    tools: tools === "recorded" || tools === "live" ? tools : tools?.split(",").map((name) => name.trim()),
  };
}

function parse(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : "";
    const unknown = /Unknown option '([^']+)'/.exec(message)?.[1];
    if (unknown !== undefined) {
      const meant = nearest(unknown.replace(/^--/, ""), Object.keys(OPTIONS));
      throw usage(`there is no option ${unknown}.${meant ? ` Do you mean --${meant}?` : ""}`);
    }
    throw usage(`${message.split(/[.\n]/, 1)[0]?.replace(/^Option /, "")}.`);
  }
}

/** Makes the word after `-p` its value, even if it starts with a dash. Without one, the prompt comes from standard input. */
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
  return new Failure("INVALID_INPUT", `${sentence} See tackle --help.`);
}
