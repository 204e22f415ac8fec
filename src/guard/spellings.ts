/** Arguments that name a place in the file system. */
const PATHS = new Set(["path", "destination", "cwd", "file", "filename", "directory", "folder", "root"]);
/** Anything that makes one line of shell more than one plain command, or lets it write and run what is not seen. */
const MORE_THAN_ONE_COMMAND = /[;&|`$()<>\n\r\\]/;

/** What a rule of the policy is held against: an argument as it was written, and as it will be understood. */
export interface Spellings {
  /** All of these have to be what a rule names that allows. */
  readonly same: readonly string[];
  /** One of these, or of the others, has to be what a rule names that asks or denies. */
  readonly further: readonly string[];
  /** False where no rule that allows may cover it: what runs is more than what a rule can see. */
  readonly plain: boolean;
}

/** The ways to spell an argument that come to the same: `docs/../.env` is `.env`, `HTTPS://Host` is `https://host`. */
export function spellingsOf(name: string, value: string, roots: readonly string[]): Spellings {
  if (name === "command") {
    const further = [value.trim(), ...value.split(/[;&|\n\r`()]+/).map((part) => part.trim())];
    return { same: [value], further, plain: isPlainCommand(value) };
  }
  if (PATHS.has(name)) return pathSpellings(value, roots);
  if (URL.canParse(value)) return { same: [value, understood(new URL(value))], further: [], plain: true };
  return { same: [value], further: [], plain: true };
}

/** True for one command with its arguments and nothing that a shell would add to it. */
export function isPlainCommand(command: string): boolean {
  return !MORE_THAN_ONE_COMMAND.test(command);
}

function pathSpellings(path: string, roots: readonly string[]): Spellings {
  const [first] = roots;
  const whole = normalized(isAbsolute(path) || first === undefined ? path : `${first}/${path}`);
  const inside = roots.map((root) => insideOf(normalized(root), whole)).find((one) => one !== undefined);
  const short = inside ?? normalized(path);
  const composed = short.normalize("NFC");
  // Some file systems make no difference between capital and small letters.
  const further = [short, whole, composed, composed.toLowerCase()];
  return { same: [path, normalized(path)], further, plain: true };
}

function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);
}

function insideOf(root: string, path: string): string | undefined {
  if (path === root) return ".";
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined;
}

function normalized(path: string): string {
  const parts: string[] = [];
  const unified = path.replaceAll("\\", "/");
  for (const part of unified.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !unified.startsWith("/")) parts.push(part);
  }
  return (unified.startsWith("/") ? "/" : "") + parts.join("/");
}

/** An address as it will be asked for: without what only looks like its host. */
function understood(url: URL): string {
  url.username = "";
  url.password = "";
  return url.href;
}
