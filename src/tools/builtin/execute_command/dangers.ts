import type { ReasonCode } from "../../../protocol/reasons.ts";
import { hasOption } from "./readers.ts";
import { type Pipeline, parseShell, type Script, type SimpleCommand, type Word } from "./shell.ts";

type Check = (args: string[]) => ReasonCode | undefined;

const RECURSIVE = { short: "R", long: ["--recursive"] };

/** What makes a command dangerous, by its name. */
const DANGERS: Record<string, Check> = {
  ...named("sudo su doas pkexec run0", () => "wants_rights"),
  ...named("mkswap wipefs fdisk sfdisk parted shred blkdiscard", () => "erases_disk"),
  ...named("shutdown reboot halt poweroff", () => "shuts_down"),
  ...named("mount umount chroot nsenter insmod modprobe", () => "changes_system"),
  ...named("chmod chown chgrp", (args) => (hasOption(args, RECURSIVE) ? "changes_permissions" : undefined)),
  ...named("nc ncat netcat", (args) =>
    hasOption(args, { short: "ec", long: ["--exec", "--sh-exec"] }) ? "opens_shell" : undefined,
  ),
  ...named("tee cp mv", (args) => (args.some(isDevice) ? "erases_disk" : undefined)),
  rm: (args) =>
    hasOption(args, { short: "rRf", long: ["--recursive", "--force"] }) ? "deletes_for_good" : undefined,
  dd: (args) => (args.some((arg) => /^of=(?!\/dev\/null$)/.test(arg)) ? "overwrites" : undefined),
  find: (args) => (args.includes("-delete") ? "deletes_found" : undefined),
  init: ([level]) => (level === "0" || level === "6" ? "shuts_down" : undefined),
  systemctl: (args) =>
    args.some((arg) => /^(?:poweroff|reboot|halt)$/.test(arg)) ? "shuts_down" : undefined,
  kill: (args) => (args.slice(1).includes("-1") ? "ends_processes" : undefined),
  socat: (args) => (args.some((arg) => /^(?:exec|system):/i.test(arg)) ? "opens_shell" : undefined),
  git: gitDanger,
};

const SHELLS = new Set("sh bash dash zsh ksh ash".split(" "));
const INTERPRETER = /^(?:python[\d.]*|perl|ruby|node|php)$/;
const DOWNLOAD = new Set("curl wget fetch aria2c".split(" "));
/** Commands that run the command in their arguments, and their options that take a value. */
const WRAPPERS: Record<string, RegExp> = {
  env: /^-[uCS]$/,
  nice: /^-n$/,
  timeout: /^-[ks]$/,
  xargs: /^-[InPLsdEa]$/,
  stdbuf: /^$/,
  ...Object.fromEntries(
    "nohup setsid command exec builtin busybox time ionice".split(" ").map((name) => [name, /^$/]),
  ),
};

/** Returns the worst that a script does, or undefined. */
export function dangerIn(script: Script): ReasonCode | undefined {
  if (script.selfStarting !== undefined) return "starts_itself";
  for (const pipeline of script.pipelines) {
    const danger = pipeDanger(pipeline) ?? first(pipeline, stageDanger);
    if (danger !== undefined) return danger;
  }
  return undefined;
}

function stageDanger(stage: SimpleCommand | Script): ReasonCode | undefined {
  if ("pipelines" in stage) return dangerIn(stage);
  const { assignments, words, redirections, input } = stage;
  for (const { operator, target } of redirections) {
    if (operator.startsWith(">") && isDevice(target.text)) return "erases_disk";
    if (/^\/dev\/(?:tcp|udp)\//.test(target.text)) return "opens_shell";
  }
  const all = [...assignments, ...words, ...redirections.map(({ target }) => target)];
  const inside = first(
    all.flatMap(({ scripts }) => scripts),
    dangerIn,
  );
  if (inside !== undefined) return inside;
  const command = unwrapped(words);
  const name = nameOf(command);
  if (name === "" || command[0]?.dynamic) return undefined;
  const args = command.slice(1).map(({ text }) => text);
  if (name.startsWith("mkfs") || name === "mke2fs") return "erases_disk";
  if (name === "eval" || name === "." || name === "source" || SHELLS.has(name)) {
    return scriptDanger(name, command, input);
  }
  const executed = name === "find" ? findExecuted(command) : undefined;
  if (executed) return stageDanger({ assignments: [], words: executed, redirections: [] });
  return Object.hasOwn(DANGERS, name) ? DANGERS[name]?.(args) : undefined;
}

/** Text that is run as a script: `sh -c "…"`, `eval "…"`, a here-document. */
function scriptDanger(
  name: string,
  command: readonly Word[],
  input: string | undefined,
): ReasonCode | undefined {
  const args = command.slice(1);
  const at = args.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
  const run = SHELLS.has(name) ? args.slice(at + 1, at === -1 ? 0 : at + 2) : args;
  // `bash <(curl …)`: the first word that is no option is the script.
  const file = at === -1 ? args.find(({ text }) => !text.startsWith("-")) : undefined;
  if (file?.scripts.some(fetches)) return "runs_download";
  if (run.some(({ scripts }) => scripts.some(fetches))) return "runs_download";
  const text = run.some(({ dynamic }) => dynamic) ? undefined : run.map((word) => word.text).join(" ");
  return textDanger(text) ?? (SHELLS.has(name) ? textDanger(input) : undefined);
}

/** How many texts deep we are: each is parsed again. */
let depth = 0;
const MOST_DEEP = 10;

function textDanger(text: string | undefined): ReasonCode | undefined {
  if (text === undefined || text === "") return undefined;
  // A script in a script in a script is only written to hide something.
  if (depth >= MOST_DEEP) return "runs_download";
  depth++;
  try {
    return dangerIn(parseShell(text));
  } catch {
    return undefined; // Unknown; it stays a medium risk.
  } finally {
    depth--;
  }
}

/** A pipe whose end runs what its beginning downloads, decodes or prints. */
function pipeDanger(pipeline: Pipeline): ReasonCode | undefined {
  const end = pipeline.findIndex((stage, index) => index > 0 && runsItsInput(stage));
  if (end === -1) return undefined;
  const before = pipeline.slice(0, end);
  if (before.some((stage) => fetches({ pipelines: [[stage]], plain: true }))) return "runs_download";
  const printed = before.at(-1);
  const words = printed && "words" in printed ? printed.words : [];
  if (!/^(?:echo|printf)$/.test(nameOf(words)) || words.some(({ dynamic }) => dynamic)) return undefined;
  return textDanger(
    words
      .slice(1)
      .map(({ text }) => text)
      .join(" "),
  );
}

/** True if a part of the script is a download or decodes hidden text. */
function fetches({ pipelines }: Script): boolean {
  return pipelines.flat().some((stage) => {
    if ("pipelines" in stage) return fetches(stage);
    const command = unwrapped(stage.words);
    const name = nameOf(command);
    const args = command.slice(1).map(({ text }) => text);
    if (DOWNLOAD.has(name)) return true;
    if (name === "base64" || name === "base32") return hasOption(args, { short: "dD", long: ["--decode"] });
    if (name === "xxd") return hasOption(args, { short: "r", long: ["--revert"] });
    return name === "openssl" && args.includes("-d");
  });
}

/** True for `… | sh`, but not for `… | python3 -m json.tool`. */
function runsItsInput(stage: SimpleCommand | Script): boolean {
  if ("pipelines" in stage) return stage.pipelines.flat().some(runsItsInput);
  let command = unwrapped(stage.words);
  if (nameOf(command) === "sudo")
    command = unwrapped(command.slice(1).filter(({ text }) => !text.startsWith("-")));
  const name = nameOf(command);
  const args = command.slice(1).map(({ text }) => text);
  if (SHELLS.has(name))
    return args.includes("-s") || args.every((arg) => /^[-+]/.test(arg) && !/^-[a-z]*c$/.test(arg));
  return INTERPRETER.test(name) && args.every((arg) => arg === "-");
}

/** The command without what only starts it: `env A=1 nice rm x` is `rm x`. */
function unwrapped(words: readonly Word[]): readonly Word[] {
  const [name] = words;
  const braces = name?.pattern ? /^\{([^{},]*,[^{}]*)\}$/.exec(name.text)?.[1] : undefined;
  if (name && braces !== undefined) {
    const expanded = braces.split(",").map((text) => ({ ...name, pattern: false, text }));
    return unwrapped([...expanded, ...words.slice(1)]);
  }
  const wrapper = nameOf(words);
  if (!Object.hasOwn(WRAPPERS, wrapper)) return words;
  let at = 1;
  for (; at < words.length; at++) {
    const text = words[at]?.text ?? "";
    if (WRAPPERS[wrapper]?.test(text)) at++;
    else if (!/^-|^\w+=/.test(text) && !(wrapper === "timeout" && /^[\d.]+[smhd]?$/.test(text))) break;
  }
  return unwrapped(words.slice(at));
}

function findExecuted(command: readonly Word[]): Word[] | undefined {
  const at = command.findIndex(({ text }) => /^-(?:exec|execdir|ok|okdir)$/.test(text));
  return at === -1 ? undefined : command.slice(at + 1);
}

function gitDanger(args: string[]): ReasonCode | undefined {
  const at = args.findIndex((arg, index) => !arg.startsWith("-") && !/^-[Cc]$/.test(args[index - 1] ?? ""));
  const rest = args.slice(at + 1);
  switch (args[at]) {
    case "push": {
      const forced = hasOption(rest, {
        short: "fd",
        long: ["--force", "--force-with-lease", "--mirror", "--delete"],
      });
      const overwrites = forced || rest.some((arg) => /^[+:]./.test(arg));
      return overwrites ? "git_push" : undefined;
    }
    case "reset":
      return hasOption(rest, { short: "", long: ["--hard"] }) ? "git_reset" : undefined;
    case "clean":
      return hasOption(rest, { short: "f", long: ["--force"] }) ? "git_clean" : undefined;
    default:
      return undefined;
  }
}

function isDevice(path: string): boolean {
  return /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mem|kmem|mapper\/)/.test(path);
}

/** The program's name without its folder. */
function nameOf([first]: readonly Word[]): string {
  return first?.text.replace(/^.*\//s, "") ?? "";
}

function named(names: string, check: Check): Record<string, Check> {
  return Object.fromEntries(names.split(" ").map((name) => [name, check]));
}

function first<Item>(
  items: readonly Item[],
  check: (item: Item) => ReasonCode | undefined,
): ReasonCode | undefined {
  for (const item of items) {
    const found = check(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
