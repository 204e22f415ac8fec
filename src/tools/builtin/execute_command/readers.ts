import type { Script, SimpleCommand, Word } from "./shell.ts";

/** Commands that only read and print, whatever their arguments. */
const READERS = new Set(
  `pwd ls cat head tail wc echo printf true false basename dirname realpath readlink stat du df whoami id uname nproc cut tr
  nl tac rev fold expand comm join paste cmp diff md5sum sha1sum sha256sum sha512sum cksum od strings seq test [ printenv
  which type cd grep egrep fgrep`.split(/\s+/),
);

/** Commands that only read unless they have one of these options. */
const READERS_WITHOUT: Record<string, { short: string; long: string[] }> = {
  sort: { short: "oT", long: ["--output", "--compress-program", "--temporary-directory"] },
  rg: { short: "z", long: ["--pre", "--search-zip", "--hostname-bin"] },
  tree: { short: "oR", long: ["--output"] },
  file: { short: "C", long: ["--compile"] },
  // macOS'.
  base64: { short: "o", long: ["--output"] },
  jq: { short: "fL", long: ["--from-file", "--library-path"] },
};

/** Commands that only read if their arguments pass a check. */
const CHECKED: Record<string, (args: string[]) => boolean> = {
  find: (args) => !args.some((arg) => /^-(?:exec|ok|delete|fprint|fls)/.test(arg)),
  uniq: (args) => args.filter((arg) => arg === "-" || !arg.startsWith("-")).length <= 1,
  date: (args) => args.every((arg) => /^(?:\+|-u$|-R$|-I)/.test(arg)),
  command: ([option]) => option === "-v",
  git: isReadingGit,
};

/** True if a script only reads: lists, pipes and subshells of known commands, with no output to a file. */
export function onlyReads({ pipelines, plain }: Script): boolean {
  return (
    plain &&
    pipelines.length > 0 &&
    pipelines.flat().every((one) => ("pipelines" in one ? onlyReads(one) : isReading(one)))
  );
}

function isReading({ assignments, words, redirections }: SimpleCommand): boolean {
  if (assignments.length > 0) return false;
  if (!redirections.every(({ operator, target }) => isHarmless(operator, target))) return false;
  const [name, ...args] = words;
  // Some shells' `printf -v PATH …` changes what the next command is.
  if (name?.text === "printf" && !isFixedText(args[0])) return false;
  if (!name || name.dynamic || (name.pattern && name.text !== "[")) return false;
  if (READERS.has(name.text)) return args.flatMap(({ scripts }) => scripts).every(onlyReads);
  // What an argument becomes must be known, because it could be an option.
  if (args.some(({ dynamic, pattern, text }) => dynamic || (pattern && /^[-*?[{]/.test(text)))) return false;
  const texts = args.map(({ text }) => text);
  if (Object.hasOwn(READERS_WITHOUT, name.text)) return !hasOption(texts, READERS_WITHOUT[name.text]);
  return Object.hasOwn(CHECKED, name.text) && CHECKED[name.text]?.(texts) === true;
}

function isFixedText(word: Word | undefined): boolean {
  return word !== undefined && !word.dynamic && !word.pattern && !word.text.startsWith("-");
}

function isHarmless(operator: string, { text, dynamic, pattern }: Word): boolean {
  if (dynamic || pattern) return false;
  if (operator === "<") return true;
  if (operator === ">&" || operator === "<&") return /^[0-9]$/.test(text);
  return (operator === ">" || operator === ">>") && text === "/dev/null";
}

/** True if one of the options is among the arguments: abbreviated, with a value, or in a cluster of letters. */
export function hasOption(
  args: readonly string[],
  { short, long }: { short: string; long: readonly string[] } = { short: "", long: [] },
): boolean {
  return args.some((arg) => {
    if (arg.startsWith("--") && arg.length > 2) {
      const name = arg.replace(/=.*/s, "");
      return long.some((option) => option.startsWith(name));
    }
    return /^-[^-]/.test(arg) && [...short].some((letter) => arg.includes(letter));
  });
}

const GIT_READERS = new Set(
  `status log diff show shortlog blame rev-parse rev-list ls-files ls-tree cat-file describe name-rev merge-base diff-tree
  diff-index diff-files for-each-ref show-ref count-objects check-ignore check-attr whatchanged cherry grep version`.split(
    /\s+/,
  ),
);
/** Options that write a file or start another program. */
const GIT_EFFECTS = ["--output", "--ext-diff", "--textconv", "--filters", "--open-files-in-pager", "--help"];
/** Subcommands that only read with such arguments. */
const GIT_LISTS: Record<string, RegExp> = {
  branch: /^(?: (?:-[avr]+|--all|--remotes|--list|--show-current))*$/,
  tag: /^(?: (?:-l|--list))?$/,
  remote: /^(?: -v| get-url [\w.-]+)?$/,
  stash: /^ list$/,
  reflog: /^$/,
  worktree: /^ list$/,
  config: /^ (?:-l|--list|--get [\w.-]+)$/,
};

function isReadingGit(args: string[]): boolean {
  let at = 0;
  for (;;) {
    if (args[at] === "-C") at += 2;
    else if (args[at] === "--no-pager") at++;
    else break;
  }
  const [subcommand = "", ...rest] = args.slice(at);
  if (subcommand === "--version") return rest.length === 0;
  const list = Object.hasOwn(GIT_LISTS, subcommand) ? GIT_LISTS[subcommand] : undefined;
  if (list) return list.test(rest.map((arg) => ` ${arg}`).join(""));
  const short = subcommand === "grep" ? "O" : "";
  return GIT_READERS.has(subcommand) && !hasOption(rest, { short, long: GIT_EFFECTS });
}
