import { runsLater } from "../../../protocol/runs-later.ts";
import { parseShell, type Script, type Word } from "./shell.ts";

const NOTHING = /(?!)/;
/** What git may change in files that run later, by subcommand, unless an argument matches: then it runs or writes what it is told. */
const GIT = new Map([
  ...names(
    "add branch checkout cherry-pick clean commit merge remote reset restore revert rm stash switch tag",
  ),
  ...names("sparse-checkout worktree"),
  ["clone", /^(?:-[^-]*[cu]|--(?:c|u|te))/] as const,
  ["init", /^--te/] as const,
  ["fetch", /^--u/] as const,
  ["pull", /^--u/] as const,
  ["push", /^--(?:e|rece)/] as const,
  ["rebase", /^(?:-[^-]*x|--e)/] as const,
  ["submodule", /^foreach$/] as const,
]);
/** These make a folder and give it any name. */
const PLACES = new Set(["clone", "worktree", "submodule"]);
const PACKAGE_FILES =
  /(?:^|\/)(?:package\.json|\.npmrc|\.yarnrc(?:\.yml)?|\.pnp\.\w+|pnpm-workspace\.yaml|\.yarn\/.*)$/;
const MANAGERS = new Map([
  ...["npm", "pnpm", "yarn", "bun"].map((name) => [name, PACKAGE_FILES] as const),
  ["composer", /(?:^|\/)composer\.json$/] as const,
]);
/** With these, a package manager writes what it is told, or runs others. */
const TOLD = /^(?:pkg|set-script|config|c|set|run|run-script|run-s|exec|x|dlx|node|edit|explore)$/;

/** True if a command is nothing but programs that keep files which run later, and the file is one of theirs. */
export function isOwnFile(command: string, path: string): boolean {
  return ownersIn(command)?.some((files) => files.test(path)) ?? false;
}

/** The files of each program of a command, or undefined if anything else may run. */
function ownersIn(command: string): RegExp[] | undefined {
  let script: Script;
  try {
    script = parseShell(command);
  } catch {
    return undefined; // What it runs is unknown.
  }
  if (!script.plain) return undefined;
  const owners: RegExp[] = [];
  for (const pipeline of script.pipelines) {
    const [only, ...more] = pipeline;
    if (!only || more.length > 0 || "pipelines" in only) return undefined;
    const files = only.assignments.length + only.redirections.length > 0 ? undefined : filesOf(only.words);
    if (!files) return undefined;
    owners.push(files);
  }
  return owners;
}

function filesOf(words: readonly Word[]): RegExp | undefined {
  // What such a word becomes is not known, and could be an option.
  if (words.some(({ dynamic, pattern, text }) => dynamic || (pattern && /^[*?[{]/.test(text))))
    return undefined;
  const [name = "", ...args] = words.map(({ text }) => text);
  if (name === "cd" || name === "mkdir") return NOTHING;
  if (name === "git") return isGitsOwn(args) ? /./ : undefined;
  return args.some((arg) => TOLD.test(arg)) ? undefined : MANAGERS.get(name);
}

function isGitsOwn(args: readonly string[]): boolean {
  let at = 0;
  for (; args[at]?.startsWith("-"); at++) {
    if (args[at] === "-C") at++;
    else if (args[at] !== "--no-pager") return false;
  }
  const [subcommand = "", ...rest] = args.slice(at);
  const told = GIT.get(subcommand);
  if (!told || rest.some((arg) => told.test(arg))) return false;
  return !PLACES.has(subcommand) || !rest.some((arg) => runsLater(arg, { holds: true }));
}

function names(text: string): (readonly [string, RegExp])[] {
  return text.split(" ").map((name) => [name, NOTHING] as const);
}
