import { isSimpleCommand } from "../protocol/command-words.ts";
import { commandForms } from "./command-forms.ts";

/** Arguments that hold a file path. */
const PATHS = new Set(["path", "destination", "cwd", "file", "filename", "directory", "folder", "root"]);

/** The forms of an argument that policy rules are matched against. */
interface ArgumentForms {
  /** The argument as written and normalized. An allow rule must match all of these. */
  readonly equivalent: readonly string[];
  /** Further forms and parts. A rule that asks or denies applies if it matches any form. */
  readonly related: readonly string[];
  /** A path in full. */
  readonly whole?: string;
  /** False for a compound command, which no allow rule may match. */
  readonly simple: boolean;
}

/** Returns the forms of an argument: `docs/../.env` is `.env`, `HTTPS://Host` is `https://host`. */
export function argumentForms(name: string, value: string, roots: readonly string[]): ArgumentForms {
  if (name === "command") {
    return { equivalent: [value], related: commandForms(value), simple: isSimpleCommand(value) };
  }
  if (PATHS.has(name)) return pathForms(value, roots);
  if (URL.canParse(value)) {
    const whole = withoutUser(new URL(value));
    // `https://host./` is the same host.
    return {
      equivalent: [value, whole],
      related: [whole.replace(/^([^/]+\/\/[^/:]+)\.(?=[/:])/, "$1")],
      simple: true,
    };
  }
  return { equivalent: [value], related: [], simple: true };
}

function pathForms(path: string, roots: readonly string[]): ArgumentForms {
  const [first] = roots;
  const whole = normalized(isAbsolute(path) || first === undefined ? path : `${first}/${path}`);
  const inside = roots.map((root) => insideOf(normalized(root), whole)).find((one) => one !== undefined);
  const short = inside ?? normalized(path);
  const composed = short.normalize("NFC");
  // Some file systems ignore case.
  const related = [short, whole, composed, composed.toLowerCase()];
  return { equivalent: [path, normalized(path)], related, whole, simple: true };
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

/** Removes the user name and password, which can look like the host. */
function withoutUser(url: URL): string {
  url.username = "";
  url.password = "";
  return url.href;
}
