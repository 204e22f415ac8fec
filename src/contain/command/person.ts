import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import type { CommandProfile } from "../../protocol/commands.ts";
import { SYSTEM } from "./bubblewrap.ts";
import { isInside } from "./workspace.ts";

/** Settings of Git that run no program and hold no secret. */
const GIT_SETTINGS =
  /^(user\.(name|email)|init\.defaultbranch|core\.(autocrlf|eol|quotepath|safecrlf)|pull\.(rebase|ff)|push\.(default|autosetupremote)|merge\.conflictstyle|rebase\.(autosquash|autostash)|diff\.(algorithm|renames)|fetch\.prune)$/;

/** Folders in which version managers keep what they install. */
const MANAGED = ["versions", "version", "plugins", "toolchains", "installs"];
/** Folders beside `bin` that hold parts of programs. Their siblings may hold credentials, as in `.cargo` and `.docker`. */
const PARTS = ["lib", "lib64", "libexec", "include", ...MANAGED];
/** Parts of programs that `~/.local/bin` links to. All else in `~/.local/share` is the person's own. */
const LOCAL_PARTS = ["share/pipx", "share/uv", "share/mise", "share/fnm", "share/pnpm"];
/** Variables that say where programs have their parts. None of them is a secret. */
const VARIABLES = [
  "PYENV_ROOT",
  "RUSTUP_HOME",
  "ASDF_DATA_DIR",
  "VOLTA_HOME",
  "JAVA_HOME",
  "GOROOT",
  "NVM_DIR",
];

/** What commands take over from the person who runs this program. */
export type PersonalProfile = Pick<CommandProfile, "searchPath" | "programs" | "variables">;

/** For everybody else: the system's programs. */
export const NO_PERSON: PersonalProfile = { searchPath: [], programs: [], variables: {} };

/** Returns the person's search path and what its programs need. `closed` lists folders that stay invisible. */
export async function personalProfile(
  env: Readonly<Record<string, string | undefined>>,
  closed: readonly string[],
): Promise<PersonalProfile> {
  const home = homedir();
  const searchPath: string[] = [];
  const programs = new Set<string>();
  async function add(path: string): Promise<boolean> {
    const real = await realpath(path).catch(() => undefined); // It does not exist.
    if (real === undefined || real === "/" || isInside(real, home)) return false;
    if (closed.some((folder) => isInside(folder, real) || isInside(real, folder))) return false;
    if (!SYSTEM.some((folder) => isInside(folder, real))) programs.add(real);
    return true;
  }
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    if (!isAbsolute(folder) || searchPath.includes(folder) || !(await add(folder))) continue;
    searchPath.push(folder);
    if (SYSTEM.some((system) => isInside(system, folder))) continue;
    const around = dirname(folder);
    for (const part of PARTS) await add(join(around, part));
    if (around === join(home, ".local")) for (const part of LOCAL_PARTS) await add(join(around, part));
    if (basename(around) === ".cargo") await add(env.RUSTUP_HOME ?? join(home, ".rustup"));
  }
  const variables = Object.fromEntries(
    VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  if (variables.RUSTUP_HOME === undefined && programs.has(join(home, ".rustup")))
    variables.RUSTUP_HOME = join(home, ".rustup");
  return { searchPath, programs: [...programs], variables };
}

/** Returns the person's name, e-mail address and other safe settings of Git as a settings file. */
export async function personalGitConfig(): Promise<string> {
  const { stdout } = await promisify(execFile)("git", [
    "config",
    "--global",
    "--includes",
    "--list",
    "-z",
  ]).catch(
    () => ({ stdout: "" }), // There are no settings, or there is no Git.
  );
  const settings = stdout.split("\0").flatMap((entry) => {
    const [name = "", ...value] = entry.split("\n");
    return GIT_SETTINGS.test(name) ? [[name, value.join(" ")] as const] : [];
  });
  return settings.map(([name, value]) => gitSetting(name, value)).join("");
}

function gitSetting(name: string, value: string): string {
  const [section = "", key = ""] = name.split(".");
  const quoted = value.replace(/[\\"]/g, "\\$&").replaceAll("\n", " ");
  return `[${section}]\n\t${key} = "${quoted}"\n`;
}
