import { getSystemErrorMessage } from "node:util";
import { toFailure } from "./protocol/failure.ts";
import { type CommandLine, parseCommandLine } from "./terminal/arguments.ts";
import type { CommandName } from "./terminal/command-table.ts";
import { sentenceOf } from "./terminal/failure-sentence.ts";

const EXIT_USAGE = 2;

interface Command {
  run(line: CommandLine): Promise<number>;
}

/** Each command loads only what it needs, so that `tackle --help` is fast. */
const COMMANDS: Record<CommandName, () => Promise<Command>> = {
  chat: () => import("./app/commands/chat.ts"),
  print: () => import("./app/commands/print.ts"),
  serve: () => import("./app/commands/serve.ts"),
  mcp: () => import("./app/commands/mcp.ts"),
  acp: () => import("./app/commands/acp.ts"),
  tools: () => import("./app/commands/tools.ts"),
  models: () => import("./app/commands/models.ts"),
  "models check": () => import("./app/commands/check-models.ts"),
  top: () => import("./app/commands/top.ts"),
  doctor: () => import("./app/commands/doctor.ts"),
  policy: () => import("./app/commands/policy.ts"),
  audit: () => import("./app/commands/audit.ts"),
  "audit verify": () => import("./app/commands/verify-audit.ts"),
  backup: () => import("./app/commands/backup.ts"),
  "backup verify": () => import("./app/commands/verify-backup.ts"),
  restore: () => import("./app/commands/restore.ts"),
  migrate: () => import("./app/commands/migrate.ts"),
  replay: () => import("./app/commands/replay.ts"),
  help: () => import("./app/commands/help.ts"),
  version: () => import("./app/commands/version.ts"),
};

async function main(argv: string[]): Promise<number> {
  const line = parseCommandLine(argv);
  const command = await COMMANDS[line.command]();
  return command.run(line);
}

async function printFailure(thrown: unknown): Promise<number> {
  const failure = toFailure(thrown);
  // A server may have said it.
  const { oneLine } = await import("./terminal/wording.ts");
  process.stderr.write(`tackle: ${oneLine(sentenceOf(failure))}\n`);
  return failure.code === "INVALID_INPUT" ? EXIT_USAGE : 1;
}

function exitWithoutOutput(error: NodeJS.ErrnoException): void {
  // The reader of the pipe has closed it.
  if (error.code === "EPIPE") return;
  process.stderr.write(`tackle: the output cannot be written: ${getSystemErrorMessage(error.errno ?? 0)}.\n`);
  process.exit(1);
}

process.stdout.on("error", exitWithoutOutput);
const exitCode = await main(process.argv.slice(2)).catch(printFailure);
// Exit even if idle connections are open, but only after the output is written.
process.stdout.write("", () => {
  if (process.stdout.errored) exitWithoutOutput(process.stdout.errored);
  process.exit(exitCode);
});
