import type { CommandCaller, CommandProfile, CommandServices } from "../protocol/commands.ts";
import { Failure } from "../protocol/failure.ts";
import { openHome, sweepHomes } from "./command/homes.ts";
import { NO_PERSON, type PersonalProfile, personalGitConfig, personalProfile } from "./command/person.ts";
import { realRoots } from "./command/workspace.ts";

export interface CommandServiceOptions {
  /** Where home folders are kept: a folder that no tool may enter. */
  homes: string;
  /** Folders of ours that stay invisible, even where the person's search path names them. */
  closed: readonly string[];
  /** The environment of the person who runs this program. */
  env: Readonly<Record<string, string | undefined>>;
}

/** Provides what commands need besides the sandbox. */
export function createCommandServices({ homes, closed, env }: CommandServiceOptions): CommandServices {
  const swept = sweepHomes(homes);
  swept.catch(() => {}); // Old caches stay until the next start.
  let person: Promise<{ profile: PersonalProfile; gitConfig: string }> | undefined;

  /** Only the local user runs commands with their own programs and under their own name. */
  async function personOf({ principal }: CommandCaller) {
    if (principal.kind !== "owner") return { profile: NO_PERSON, gitConfig: "" };
    person ??= Promise.all([personalProfile(env, closed), personalGitConfig()]).then(
      ([profile, gitConfig]) => ({
        profile,
        gitConfig,
      }),
    );
    return person;
  }

  async function profileFor(caller: CommandCaller): Promise<CommandProfile> {
    const [root] = await realRoots(caller.roots);
    if (root === undefined) throw new Failure("FORBIDDEN", "No folder is open to this tool.");
    const { profile, gitConfig } = await personOf(caller);
    const home = await openHome(homes, caller.principal.id, root, gitConfig);
    return { ...profile, home: home.folder, gitConfig: home.gitConfig };
  }

  return { profileFor };
}
