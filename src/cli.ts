import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { OwnParts, Tackle } from "./app.ts";
import type { Config } from "./config.ts";
import type { DoctorReport } from "./doctor.ts";
import type { Chat } from "./protocol/chat.ts";
import { Failure, toFailure } from "./protocol/failure.ts";
import type { Principal } from "./protocol/principal.ts";
import { type CommandLine, parseCommandLine } from "./terminal/arguments.ts";

// The rooms are imported where they are needed: `tackle --help` is there at once.

const LOCAL_OWNER: Principal = { id: "local", kind: "owner" };
const EXIT_USAGE = 2;

async function main(argv: string[]): Promise<number> {
  const line = parseCommandLine(argv);
  switch (line.command) {
    case "help":
      process.stdout.write((await import("./terminal/help.ts")).HELP);
      return 0;
    case "version":
      process.stdout.write(`${version()}\n`);
      return 0;
    case "serve":
      return serveUntilStopped(line);
    case "mcp":
      return serveMcp(line);
    case "doctor":
      return doctor(line);
    case "policy":
      return testPolicy(line);
    case "backup":
    case "restore":
    case "migrate":
      return moveData(line);
    case "replay":
      return replayFile(line);
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

async function printOne(chat: Chat, line: CommandLine): Promise<number> {
  const { allow, prompt, json, model, resume } = line;
  const { printTurn } = await import("./terminal/print.ts");
  const sessionId = resume === "last" ? (await chat.listSessions({ limit: 1 }))[0]?.id : resume;
  return printTurn(chat, { prompt, json, allow, model, sessionId });
}

/** The prompt is there at once; what answers is opened behind it. */
async function chatAtOnce(line: CommandLine): Promise<number> {
  const { lateChat } = await import("./late-chat.ts");
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
  const { startRepl } = await import("./terminal/repl.ts");
  const { openHistory } = await import("./terminal/history.ts");
  // Leaving by way of `exit` gives the terminal back as it was; the next start takes up what was running.
  process.once("SIGTERM", () => process.exit(143));
  process.once("SIGHUP", () => process.exit(129));
  return startRepl(chat, {
    model,
    resume: line.resume,
    allow,
    version: version(),
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

/** Plays a recording again: 0 where it comes out the same, 1 where it does not. */
async function replayFile(line: CommandLine): Promise<number> {
  const { readRecording, replay } = await import("./replay.ts");
  const { isAllowed } = await import("./terminal/allow.ts");
  const { ReplayView } = await import("./terminal/replay-view.ts");
  const recording = await readRecording(line.file ?? "");
  const { model, tools = "recorded", speed, allow } = line;
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  const view = line.json ? undefined : new ReplayView(process.stdout);
  const tackle = model === undefined && tools === "recorded" ? undefined : await openAside(line);
  try {
    const played = await replay(recording, {
      tools,
      signal: stop.signal,
      allow: (call) => isAllowed(allow, call),
      onRun: (question) => view?.begin(question),
      onEvent: (event) => view?.apply(event),
      ...(model === undefined ? {} : { model }),
      ...(speed === undefined ? {} : { speed }),
      ...(tackle ? { tackle } : {}),
    });
    view?.end();
    if (stop.signal.aborted) return 130;
    const { replayLines } = await import("./recordings/report.ts");
    const { differences } = played;
    view?.report(replayLines(played));
    if (line.json) say([JSON.stringify({ same: differences.length === 0, ...played }, null, 2)]);
    return differences.length === 0 ? 0 : 1;
  } finally {
    view?.end();
    await tackle?.close();
  }
}

/** The person's models and tools without the person's data: nothing is kept, and a server may be using it. */
async function openAside(line: CommandLine): Promise<Tackle> {
  const { createTackle } = await import("./embed.ts");
  const config = await configOf(line, true);
  // Its keys are no more in reach of a tool than always.
  const { keepClosed } = await import("./contain/paths-folder.ts");
  if (existsSync(config.dataDir)) await keepClosed(config.dataDir);
  const files = { ...config.files, s3: undefined };
  return createTackle({ ...config, dataDir: ":memory:", databaseUrl: undefined, files });
}

async function moveData(line: CommandLine): Promise<number> {
  const { backUp, migrateTo, restore } = await import("./move-data.ts");
  const config = await configOf(line, false);
  const { file = "", to = "", force } = line;
  if (line.command === "backup") say(await backUp(config, file, force));
  else if (line.command === "restore") say(await restore(config, file, force));
  else say(await migrateTo(config, to, force));
  return 0;
}

async function doctor(line: CommandLine): Promise<number> {
  const { doctorLines } = await import("./terminal/listings.ts");
  const report = line.server === undefined ? await examineHere(line) : await examineServer(line.server);
  const { paint, columns } = await page();
  say(line.json ? [JSON.stringify(report, null, 2)] : doctorLines(report.checks, columns, paint));
  return report.checks.some(({ ok }) => ok === false) ? 1 : 0;
}

async function testPolicy(line: CommandLine): Promise<number> {
  const tackle = await openTackle(line);
  try {
    const { checkPolicy, readPolicy } = await import("./policy.ts");
    const checks = checkPolicy(readPolicy(tackle.config.policyFile), tackle.registry);
    const wrong = checks.filter(({ expected, said }) => expected !== said);
    const words = wrong.map(({ tool, arguments: args, expected, said }) => {
      return `✗ ${tool} ${JSON.stringify(args)}: expected ${expected}, the policy says ${said ?? "nothing: there is no such tool"}`;
    });
    const sum = `${checks.length - wrong.length} of ${checks.length} tests of the policy hold.`;
    const hint = checks.length === 0 ? [`Write some under "tests" in ${tackle.config.policyFile}.`] : [];
    say(line.json ? [JSON.stringify(checks, null, 2)] : [...words, sum, ...hint]);
    return wrong.length === 0 ? 0 : 1;
  } finally {
    await tackle.close();
  }
}

async function examineHere(line: CommandLine): Promise<DoctorReport> {
  const { examine } = await import("./doctor.ts");
  let tackle: Tackle | undefined;
  try {
    tackle = await openTackle(line);
    return await examine(tackle);
  } catch (thrown) {
    const detail = sentenceOf(toFailure(thrown));
    return {
      checks: [{ name: "Start", ok: false, detail, fix: "Correct this, and look again." }],
    };
  } finally {
    await tackle?.close();
  }
}

async function examineServer(url: string): Promise<DoctorReport> {
  const { createClient } = await import("./client/chat.ts");
  try {
    const chat = createClient(url, token());
    const [models, tools] = [await chat.models(), await chat.tools()];
    const model = models.find((listed) => listed.default)?.id ?? "none";
    return {
      checks: [
        { name: "Server", ok: true, detail: url },
        { name: "Model", ok: models.length > 0, detail: `${model}, of ${models.length}` },
        { name: "Tools", ok: true, detail: tools.map(({ name }) => name).join(", ") },
      ],
    };
  } catch (thrown) {
    const { publicMessage } = toFailure(thrown);
    return {
      checks: [{ name: "Server", ok: false, detail: publicMessage, fix: "Start it with tackle serve." }],
    };
  }
}

/** Hands a chat to the work: the server's where one was named, otherwise one in this process. */
async function withChat(line: CommandLine, work: (chat: Chat) => Promise<number>): Promise<number> {
  if (line.server !== undefined) {
    const { createClient } = await import("./client/chat.ts");
    return work(createClient(line.server, token()));
  }
  const config = await configOf(line, true);
  let broken = false;
  const recording = line.record === undefined ? undefined : await openRecording(line, line.record, config);
  try {
    const recorder = recording ? { recorder: recording.recorder } : {};
    const tackle = await openWith(config, { beside: true, ...recorder });
    try {
      const code = await work(tackle.chatFor(LOCAL_OWNER));
      return broken && code === 0 ? 1 : code;
    } finally {
      await tackle.close();
    }
  } finally {
    recording?.close();
  }

  async function openRecording({ force }: CommandLine, file: string, { settings }: Config) {
    const { recordTo } = await import("./record-runs.ts");
    const onProblem = (sentence: string) => {
      broken = true;
      process.stderr.write(`tackle: ${sentence}\n`);
    };
    return recordTo({ file, force, program: `tackle ${version()}`, settings, onProblem });
  }
}

async function openTackle(line: CommandLine, terminal = true): Promise<Tackle> {
  return openWith(await configOf(line, terminal), { beside: terminal });
}

async function openWith(config: Config, own: OwnParts = {}): Promise<Tackle> {
  const { createTackle } = await import("./app.ts");
  try {
    return await createTackle(config, own);
  } catch (thrown) {
    if (own.beside || !(thrown instanceof Failure) || thrown.code !== "CONFLICT") throw thrown;
    const usual = `http://${config.host}:${config.port}`;
    const hint = `If that is tackle serve, join it with --server and its address, as in --server ${usual}`;
    throw new Failure("CONFLICT", `${thrown.publicMessage} ${hint}`, { cause: thrown });
  }
}

async function configOf(line: CommandLine, terminal: boolean): Promise<Config> {
  const { loadConfig } = await import("./config.ts");
  const { port, host, data, model } = line;
  return loadConfig({
    env: process.env,
    overrides: { port, host, data, model },
    terminal,
    cwd: process.cwd(),
  });
}

async function serveUntilStopped(line: CommandLine): Promise<number> {
  const config = await configOf(line, false);
  const { serve } = await import("./serve.ts");
  const serving = await serve(config).catch((thrown: unknown) => {
    throw listenFailure(thrown, config);
  });
  const { log } = serving.tackle;
  // Without these the runtime would print what was thrown as it is: stack, paths, keys and all.
  process.on("unhandledRejection", (thrown) =>
    log.error({ err: thrown }, "something failed and nobody waited for it"),
  );
  process.on("uncaughtException", (thrown) => {
    log.fatal({ err: thrown }, "something broke where nothing could catch it: the server ends");
    process.exit(1);
  });
  const model = serving.tackle.models.defaultId();
  const { serveLines } = await import("./terminal/listings.ts");
  say(serveLines(serving.url, model, version()));

  await new Promise<void>((resolve) => {
    let asked = false;
    const stop = (signal: NodeJS.Signals) => {
      if (asked && signal === "SIGINT") process.exit(130);
      if (asked) return;
      asked = true;
      process.stderr.write("tackle: stopping … Ctrl-C again ends it at once.\n");
      resolve();
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
  });
  // Whatever still hangs then, a database that is gone or a stubborn child process: leases run out by themselves.
  setTimeout(() => process.exit(0), config.graceMs).unref();
  await serving.close();
  return 0;
}

/** Serves other programs on standard input and output, where nothing but their protocol may be written. */
async function serveMcp(line: CommandLine): Promise<number> {
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  if (line.server !== undefined) {
    const { bridgeStdio } = await import("./mcp/bridge.ts");
    await bridgeStdio(line.server, token().token, stop.signal);
    return 0;
  }
  // The folder that another program happens to start us in is not one to open to its model.
  const tackle = await openTackle(line, false);
  try {
    const { serveOverStdio } = await import("./mcp/stdio-door.ts");
    const { mcpDoorParts } = await import("./mcp-door.ts");
    await serveOverStdio(mcpDoorParts(tackle), LOCAL_OWNER, stop.signal, (text) => tackle.log.warn(text));
    return 0;
  } finally {
    await tackle.close();
  }
}

function listenFailure(thrown: unknown, { host, port }: Config): unknown {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is in use already. Stop what listens there, or choose another with --port.`,
    EACCES: `Port ${port} needs more rights than this user has. Choose one above 1023 with --port.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Choose another with --host.`,
  };
  const sentence = sentences[String(code)];
  return sentence === undefined ? thrown : new Failure("INVALID_INPUT", sentence, { cause: thrown });
}

/** As the settings find it; known before they are read. */
function dataDirectory({ data }: CommandLine): string {
  return resolve(data ?? (process.env.TACKLE_DATA || join(homedir(), ".tackle")));
}

function token(): { token?: string } {
  const { TACKLE_TOKEN } = process.env;
  return TACKLE_TOKEN ? { token: TACKLE_TOKEN } : {};
}

function version(): string {
  const { version: number } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return String(number);
}

async function page() {
  const { paintFor } = await import("./terminal/style.ts");
  return {
    paint: paintFor(process.stdout),
    columns: process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY,
  };
}

function say(lines: string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

function complain(thrown: unknown): number {
  const failure = toFailure(thrown);
  process.stderr.write(`tackle: ${sentenceOf(failure).replace(/\s*\n\s*/g, " ")}\n`);
  return failure.code === "INVALID_INPUT" ? EXIT_USAGE : 1;
}

/** An error that nobody foresaw is told in its own words: this is the owner's own machine. */
function sentenceOf({ code, publicMessage, cause }: Failure): string {
  if (code !== "INTERNAL" || !(cause instanceof Error)) return publicMessage;
  return `something went wrong that should not: ${process.env.TACKLE_LOG === "debug" ? cause.stack : cause.message}`;
}

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // Whoever read the output has had enough of it.
  if (error.code !== "EPIPE") throw error;
});
const exitCode = await main(process.argv.slice(2)).catch(complain);
// Idle connections must not keep a finished command waiting; what was written is on its way first.
process.stdout.write("", () => process.exit(exitCode));
