import { isObject } from "../protocol/json.ts";
import { runsLater } from "../protocol/runs-later.ts";
import type { AllowRule } from "./allow-rule.ts";

/** True if one of the rules covers the call. A plan, and what text from outside may have suggested, needs a person. */
export function isAllowed(
  rules: AllowRule[],
  call: {
    toolName: string;
    arguments: unknown;
    plan?: unknown;
    outside?: true | undefined;
    always?: unknown;
  },
): boolean {
  if (call.plan !== undefined || call.outside) return false;
  const later = changesLater(call.arguments, call.always === undefined);
  return rules.some(({ tool, prefix }) => {
    if (tool !== call.toolName) return false;
    // A file that runs later must be named in full.
    if (later !== undefined) return prefix === later;
    return prefix === undefined || begins(call.arguments, prefix);
  });
}

/**
 * The operation and path of a call that changes a file that runs later. The server, which follows links, may know of it: then every
 * call needs its own approval.
 */
function changesLater(args: unknown, asksEachTime: boolean): string | undefined {
  if (!isObject(args) || typeof args.path !== "string" || typeof args.operation !== "string")
    return undefined;
  const { operation, path, destination } = args;
  if (!/^(?:write|edit|move|delete)$/.test(operation)) return undefined;
  const paths = typeof destination === "string" ? [path, destination] : [path];
  if (paths.some((one) => runsLater(one, { holds: true }))) return `${operation} ${path}`;
  return asksEachTime ? "" : undefined;
}

function begins(args: unknown, prefix: string): boolean {
  if (!isObject(args)) return false;
  if (typeof args.command === "string")
    return isPlainCommand(args.command) && beginsAsWords(args.command, prefix);
  const { operation, path, destination } = args;
  if (typeof operation === "string" && typeof path === "string") {
    const places = typeof destination === "string" ? [path, destination] : [path];
    return places.every((place) => !leadsUp(place) && `${operation} ${place}`.startsWith(prefix));
  }
  return JSON.stringify(args).startsWith(prefix);
}

/** `git status` covers `git status --short`, but neither `git statusx` nor anything that a shell would add to it. */
function beginsAsWords(command: string, prefix: string): boolean {
  if (!command.startsWith(prefix)) return false;
  const next = command[prefix.length];
  return next === undefined || /\s/.test(next) || /[\s/=]$/.test(prefix);
}

/** `docs/../.env` starts with `docs/` but is elsewhere. */
function leadsUp(path: string): boolean {
  return path.split(/[\\/]/).includes("..");
}

/** True for a command without operators, redirections, substitutions or a second line. */
function isPlainCommand(command: string): boolean {
  return !/[;&|<>`\n\r]|\$\(|\$\{/.test(command);
}
