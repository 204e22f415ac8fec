import type { Chat } from "../../protocol/chat.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import type { Config } from "../config.ts";
import { productVersion } from "../product-version.ts";
import type { OwnParts, Tackle } from "../tackle.ts";

/** The person at this machine. */
export const LOCAL_OWNER: Principal = { id: "local", kind: "owner" };

/** Runs `work` with a chat: on the server where one is named, otherwise in this process. */
export async function withChat(line: CommandLine, work: (chat: Chat) => Promise<number>): Promise<number> {
  if (line.server !== undefined) {
    const { createClient } = await import("../../client/chat.ts");
    return work(createClient(line.server, token()));
  }
  const config = await configOf(line, true);
  let broken = false;
  const recording = line.record === undefined ? undefined : await openRecording(line, line.record, config);
  try {
    const recorder = recording ? { recorder: recording.recorder } : {};
    const tackle = await openWith(config, { beside: true, logFile: "terminal.log", ...recorder });
    try {
      const code = await work(tackle.chatFor(LOCAL_OWNER, "terminal"));
      return broken && code === 0 ? 1 : code;
    } finally {
      await tackle.close();
    }
  } finally {
    recording?.close();
  }

  async function openRecording({ force }: CommandLine, file: string, { settings }: Config) {
    const { recordTo } = await import("../record-runs.ts");
    const onProblem = (sentence: string) => {
      broken = true;
      process.stderr.write(`tackle: ${sentence}\n`);
    };
    return recordTo({ file, force, program: `tackle ${productVersion()}`, settings, onProblem });
  }
}

/** Opens the app in this process. `terminal` says that a person is at it. */
export async function openTackle(line: CommandLine, terminal = true): Promise<Tackle> {
  return openWith(await configOf(line, terminal), { beside: terminal });
}

async function openWith(config: Config, own: OwnParts = {}): Promise<Tackle> {
  const { createTackle } = await import("../tackle.ts");
  try {
    return await createTackle(config, own);
  } catch (thrown) {
    if (own.beside || !(thrown instanceof Failure) || thrown.code !== "CONFLICT") throw thrown;
    const usual = `http://${config.host}:${config.port}`;
    const hint = `If that is tackle serve, use it with --server and its address, for example --server ${usual}`;
    throw new Failure("CONFLICT", `${thrown.publicMessage} ${hint}`, { cause: thrown });
  }
}

/** Reads the settings. The command line takes precedence. */
export async function configOf(line: CommandLine, terminal: boolean): Promise<Config> {
  const { loadConfig } = await import("../config.ts");
  const { port, host, data, model, trust, processes } = line;
  return loadConfig({
    env: process.env,
    overrides: { port, host, data, model, trust, processes },
    terminal,
    cwd: process.cwd(),
  });
}

/** The token for a server, from TACKLE_TOKEN. */
export function token(): { token?: string } {
  const { TACKLE_TOKEN } = process.env;
  return TACKLE_TOKEN ? { token: TACKLE_TOKEN } : {};
}
