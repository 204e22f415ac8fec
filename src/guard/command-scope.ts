import { plainWords } from "../protocol/command-words.ts";

/**
 * Commands that do the same kind of thing whatever files and words follow, with the options that keep it so; `=` marks those that
 * take a value. Programs that run others, overwrite, delete or send don't belong here.
 */
const FAMILIES = new Map([
  ["mkdir", options("-p -v -pv --parents --verbose")],
  ["touch", options("-c -a -m --no-create")],
  ["git add", options("-A -u -v -n -N --all --update --verbose --dry-run --intent-to-add")],
  ["git commit", options("-a -v -q --all --verbose --quiet -m= -am= -qm= --message=")],
  ["git switch", options("-q --quiet -c= --create=")],
  ["git branch", options("")],
  ["git tag", options("-a -m= -am= --message=")],
  ["cargo build", options("-r -q -v --release --workspace --all --locked --offline -p= --package=")],
  ["cargo check", options("-r -q -v --release --workspace --all --locked --offline -p= --package=")],
]);

/**
 * Returns the program and subcommand of a command if whatever may follow them, without other options, is as harmless as what was
 * approved. Undefined if only the very same command may be remembered, as for everything that runs another program.
 */
export function commandFamily(command: string): string | undefined {
  const [program = "", ...args] = plainWords(command) ?? [];
  const single = FAMILIES.has(program);
  const family = single ? program : `${program} ${args.shift()}`;
  const known = FAMILIES.get(family);
  return known && args.length > 0 && hasOnly(args, known) ? family : undefined;
}

/** True if all options are among the known ones. */
function hasOnly(args: readonly string[], known: ReadonlySet<string>): boolean {
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "--") return true;
    if (!word.startsWith("-") || word === "-" || known.has(word)) continue;
    const [, long] = /^(--[^=]+=)/.exec(word) ?? [];
    if (!known.has(long ?? `${word}=`)) return false;
    if (long === undefined) at++;
  }
  return true;
}

function options(names: string): ReadonlySet<string> {
  return new Set(names.split(" "));
}
