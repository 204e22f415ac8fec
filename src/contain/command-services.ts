import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { CommandCaller, CommandProfile, CommandServices } from "../protocol/commands.ts";
import { Failure } from "../protocol/failure.ts";
import type { Sandbox } from "../protocol/tool.ts";
import { Background, sweepBackground } from "./background.ts";
import { openHome, sweepHomes } from "./command/homes.ts";
import { parseHostRule } from "./command/hosts.ts";
import { NO_PERSON, type PersonalProfile, personalGitConfig, personalProfile } from "./command/person.ts";
import { realRoots } from "./command/workspace.ts";
import { runCommand } from "./run-command.ts";
import { createSessionNetworks } from "./session-networks.ts";

export interface CommandServiceOptions {
  sandbox: Sandbox;
  /** Our data directory, which no tool may enter. Home folders and the output of background commands are kept in it. */
  dataDir: string;
  /** Folders of ours that stay invisible, even where the person's search path names them. */
  closed: readonly string[];
  /** The environment of the person who runs this program. */
  env: Readonly<Record<string, string | undefined>>;
  hosts?: readonly string[];
  /** Whether a session still exists. Background commands of others are stopped. */
  isKept?(sessionId: string): Promise<boolean>;
}

const CHECK_SESSIONS_MS = 30_000;
const SWEEP_MS = 60 * 60_000;

/** Provides what commands need besides the sandbox. */
export function createCommandServices(
  options: CommandServiceOptions,
): CommandServices & { close(): Promise<void> } {
  const { sandbox, dataDir, closed, env, hosts = [], isKept } = options;
  const homes = join(dataDir, "homes");
  const outputs = join(dataDir, "commands");
  // What earlier processes left can also be removed at the next start.
  for (const sweep of [sweepHomes(homes), sweepBackground(outputs)]) sweep.catch(() => {});
  const sweeper = setInterval(() => void sweepHomes(homes).catch(() => {}), SWEEP_MS).unref();
  let person: Promise<{ profile: PersonalProfile; gitConfig: string }> | undefined;

  /** Only the local user runs commands with their own programs and under their own name. */
  async function personOf({ principal }: CommandCaller) {
    if (principal.kind !== "owner") return { profile: NO_PERSON, gitConfig: "" };
    person ??= Promise.all([personalProfile(env, closed), personalGitConfig()]).then(
      ([profile, gitConfig]) => ({ profile, gitConfig }),
    );
    return person;
  }

  async function profileFor(caller: CommandCaller): Promise<CommandProfile> {
    const [root] = await realRoots(caller.roots);
    if (root === undefined) throw new Failure("FORBIDDEN", "No folder is open to this tool.");
    const { profile, gitConfig } = await personOf(caller);
    const home = await openHome(homes, caller.principal.id, root, gitConfig, sandbox);
    return { ...profile, home: home.folder, gitConfig: home.gitConfig };
  }

  const rules = hosts.flatMap((host) => parseHostRule(host) ?? []);
  const networks = createSessionNetworks(sandbox, rules);
  const background = new Background(
    (caller, order) => runCommand({ ...caller, sandbox, commands: services }, order),
    join(outputs, `${process.pid}-${randomUUID()}`),
  );
  const services: CommandServices = { hosts, profileFor, networkFor: networks.networkFor, background };

  async function endDeleted(): Promise<void> {
    for (const sessionId of background.sessions())
      if (isKept && !(await isKept(sessionId))) await background.endSession(sessionId);
  }
  const timer = setInterval(() => void endDeleted().catch(() => {}), CHECK_SESSIONS_MS).unref();
  return {
    ...services,
    async close() {
      clearInterval(timer);
      clearInterval(sweeper);
      await background.close();
      await networks.close();
    },
  };
}
