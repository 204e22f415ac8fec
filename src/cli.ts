import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Chat } from "./protocol/chat.ts";
import { toFailure } from "./protocol/failure.ts";
import { type CommandLine, parseCommandLine } from "./terminal/arguments.ts";
import { page, say, sentenceOf } from "./terminal/output.ts";

// The rooms are imported where they are needed: `tackle --help` is there at once.

const EXIT_USAGE = 2;

async function main(argv: string[]): Promise<number> {
  const line = parseCommandLine(argv);
  switch (line.command) {
    case "help":
      process.stdout.write((await import("./terminal/help.ts")).HELP);
      return 0;
    case "version":
      say([(await import("./app/product-version.ts")).productVersion()]);
      return 0;
    case "serve":
      return (await import("./app/commands/serve.ts")).serveUntilStopped(line);
    case "mcp":
      return (await import("./app/commands/mcp.ts")).serveMcp(line);
    case "doctor":
      return doctor(line);
    case "policy":
      return testPolicy(line);
    case "backup":
    case "restore":
    case "migrate":
      return moveData(line);
    case "replay":
      return (await import("./app/commands/replay.ts")).replayFile(line);
    case "tools":
    case "models":
      return list(line, line.command);
    case "print":
      return withChat(line, (chat) => printOne(chat, line));
    case "chat":
      return process.stdin.isTTY && process.stdout.isTTY
        ? chatAtOnce(line)
        : withChat(line, (chat) => talk(chat, line));
  }
}

async function withChat(line: CommandLine, work: (chat: Chat) => Promise<number>): Promise<number> {
  const { withChat: open } = await import("./app/commands/open-tackle.ts");
  return open(line, work);
}

async function printOne(chat: Chat, line: CommandLine): Promise<number> {
  const { allow, prompt, json, model, resume } = line;
  const { printTurn } = await import("./terminal/print.ts");
  const sessionId = resume === "last" ? (await chat.listSessions({ limit: 1 }))[0]?.id : resume;
  return printTurn(chat, { prompt, json, allow, model, sessionId });
}

/** The prompt is there at once; what answers is opened behind it. */
async function chatAtOnce(line: CommandLine): Promise<number> {
  const { lateChat } = await import("./terminal/deferred-chat.ts");
  const [opened, left] = [Promise.withResolvers<Chat>(), Promise.withResolvers<number>()];
  const talking = talk(lateChat(opened.promise), line);
  talking.then(left.resolve, left.reject);
  // Once the prompt is drawn: loading keeps the process busy.
  await new Promise((drawn) => setImmediate(drawn));
  const open = (chat: Chat) => {
    opened.resolve(chat);
    return left.promise;
  };
  return withChat(line, open).catch((thrown: unknown) => {
    process.stdout.write("\n");
    throw thrown;
  });
}

async function talk(chat: Chat, line: CommandLine): Promise<number> {
  const { allow, model, server } = line;
  const [{ startRepl }, { openHistory }, { productVersion }] = await Promise.all([
    import("./terminal/repl.ts"),
    import("./terminal/history.ts"),
    import("./app/product-version.ts"),
  ]);
  // Leaving by way of `exit` gives the terminal back as it was; the next start takes up what was running.
  process.once("SIGTERM", () => process.exit(143));
  process.once("SIGHUP", () => process.exit(129));
  return startRepl(chat, {
    model,
    resume: line.resume,
    allow,
    version: productVersion(),
    history: openHistory(join(dataDirectory(line), "terminal-history"), async (text) => {
      const { redactSecrets } = await import("./guard/redact/redact.ts");
      return redactSecrets(text);
    }),
    ...(server === undefined ? { directory: process.cwd() } : {}),
  });
}

async function list(line: CommandLine, what: "tools" | "models"): Promise<number> {
  return withChat(line, async (chat) => {
    const { MORE_MODELS, modelLines, toolLines } = await import("./terminal/listings.ts");
    const { paint, columns } = await page();
    if (what === "tools") {
      const tools = await chat.tools();
      say(line.json ? [JSON.stringify(tools, null, 2)] : toolLines(tools, columns, paint));
      return 0;
    }
    const models = await chat.models();
    const readable = () => [
      ...modelLines(models, columns, paint),
      "",
      paint("dim", `* answers when nothing is said. ${MORE_MODELS}`),
    ];
    say(line.json ? [JSON.stringify(models, null, 2)] : readable());
    return 0;
  });
}

async function moveData(line: CommandLine): Promise<number> {
  const { backUp, migrateTo, restore } = await import("./app/commands/backup.ts");
  const { configOf } = await import("./app/commands/open-tackle.ts");
  const config = await configOf(line, false);
  const { file = "", to = "", force } = line;
  if (line.command === "backup") say(await backUp(config, file, force));
  else if (line.command === "restore") say(await restore(config, file, force));
  else say(await migrateTo(config, to, force));
  return 0;
}

async function doctor(line: CommandLine): Promise<number> {
  const { doctorLines } = await import("./terminal/listings.ts");
  const { examineHere, examineServer } = await import("./app/commands/doctor.ts");
  const { openTackle, token } = await import("./app/commands/open-tackle.ts");
  const { server } = line;
  const report =
    server === undefined ? await examineHere(() => openTackle(line)) : await examineServer(server, token());
  const { paint, columns } = await page();
  say(line.json ? [JSON.stringify(report, null, 2)] : doctorLines(report.checks, columns, paint));
  return report.checks.some(({ ok }) => ok === false) ? 1 : 0;
}

async function testPolicy(line: CommandLine): Promise<number> {
  const { openTackle } = await import("./app/commands/open-tackle.ts");
  const tackle = await openTackle(line);
  try {
    const { checkPolicy, readPolicy } = await import("./app/policy-file.ts");
    const { policyLines } = await import("./terminal/listings.ts");
    const { policyFile } = tackle.config;
    const checks = checkPolicy(readPolicy(policyFile), tackle.registry);
    say(line.json ? [JSON.stringify(checks, null, 2)] : policyLines(checks, policyFile));
    return checks.every(({ expected, said }) => expected === said) ? 0 : 1;
  } finally {
    await tackle.close();
  }
}

/** As the settings find it; known before they are read. */
function dataDirectory({ data }: CommandLine): string {
  return resolve(data ?? (process.env.TACKLE_DATA || join(homedir(), ".tackle")));
}

function complain(thrown: unknown): number {
  const failure = toFailure(thrown);
  process.stderr.write(`tackle: ${sentenceOf(failure).replace(/\s*\n\s*/g, " ")}\n`);
  return failure.code === "INVALID_INPUT" ? EXIT_USAGE : 1;
}

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // Whoever read the output has had enough of it.
  if (error.code !== "EPIPE") throw error;
});
const exitCode = await main(process.argv.slice(2)).catch(complain);
// Idle connections must not keep a finished command waiting; what was written is on its way first.
process.stdout.write("", () => process.exit(exitCode));
