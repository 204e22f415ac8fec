import {
  COMMANDS,
  type CommandName,
  OPTIONS,
  type OptionName,
  rowOf,
  SECTIONS,
  typed,
} from "./command-table.ts";

const WIDTH = 27;

const EXIT_CODES = `Exit codes
  0    The command succeeded.
  1    It failed, or something differs (replay, policy test) or was refused (models check).
  2    The command line, a setting or the recording is not valid.
  3    With -p: a tool needed an approval and was denied.
  4    With -p: it stopped at a limit before it had finished.
  130  Interrupted.
`;

/** The text of `tackle --help`, written from the tables that the command line is read with. */
export function helpText(): string {
  const names = commandNames().filter((name) => !(name in SECTIONS.General));
  const sections = Object.entries(SECTIONS).map(
    ([title, options]) => `${title}\n${optionRows(Object.keys(options) as OptionName[])}`,
  );
  const intro = "Tackle: a chat in which the model calls tools.\n";
  return [intro, `Commands\n${names.map(commandRow).join("")}`, ...sections, EXIT_CODES].join("\n");
}

/** The text of `tackle COMMAND --help`. */
export function commandHelp(command: CommandName): string {
  const { options, help } = rowOf(command);
  const parts = [`${usageOf(command)}\n${help}\n`];
  if (options.length > 0) parts.push(`Options\n${optionRows(options)}`);
  const below = commandNames().filter((name) => name.startsWith(`${command} `));
  if (below.length > 0) parts.push(`Subcommands\n${below.map(commandRow).join("")}`);
  return [...parts, "tackle --help shows all commands.\n"].join("\n");
}

function commandNames(): CommandName[] {
  return Object.keys(COMMANDS) as CommandName[];
}

function usageOf(command: CommandName): string {
  const { operand, requires } = rowOf(command);
  const words = [typed(command), command === "print" ? '"…"' : operand, requires && `--${requires} URL`];
  return words.filter(Boolean).join(" ");
}

function commandRow(command: CommandName): string {
  return row(usageOf(command), rowOf(command).help);
}

function optionRows(names: readonly OptionName[]): string {
  return names.map(optionRow).join("");
}

function optionRow(name: OptionName): string {
  const option = OPTIONS[name];
  const short = "short" in option ? `-${option.short}, ` : "";
  return row(`${short}--${name}${"value" in option ? ` ${option.value}` : ""}`, option.help);
}

function row(name: string, help: string): string {
  return `  ${name.padEnd(WIDTH)} ${help}\n`;
}
