import { COMMANDS, type CommandName, rowOf, SECTIONS, typed } from "./command-table.ts";

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
  const names = (Object.keys(COMMANDS) as CommandName[]).filter((name) => !(name in SECTIONS.General));
  const commands = names.map((name) => {
    const { operand, requires, help } = rowOf(name);
    const words = [typed(name), name === "print" ? '"…"' : operand, requires && `--${requires} URL`];
    return row(words.filter(Boolean).join(" "), help);
  });
  const sections = Object.entries(SECTIONS).map(([title, options]) => {
    const rows = Object.entries(options).map(([name, { short, value, help }]) =>
      row(`${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`, help),
    );
    return `${title}\n${rows.join("")}`;
  });
  const intro = "Tackle: a chat in which the model calls tools.\n";
  return [intro, `Commands\n${commands.join("")}`, ...sections, EXIT_CODES].join("\n");
}

function row(name: string, help: string): string {
  return `  ${name.padEnd(WIDTH)} ${help}\n`;
}
