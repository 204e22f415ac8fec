import { realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { because, type Reason } from "../../../protocol/reasons.ts";
import { runsLater } from "../../../protocol/runs-later.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import { visibleLine } from "../../../protocol/visible-text.ts";
import type { Parameters } from "./parameters.ts";

/** Returns why a change needs an approval each time: it changes a file that programs of the person run or obey. */
export function laterReason(
  { operation, path, destination }: Parameters,
  { roots }: Pick<ToolContext, "roots">,
): Reason | undefined {
  const holds = operation === "move" || operation === "delete";
  const paths = destination === undefined ? [path] : [path, destination];
  const found = paths.find((one) => formsOf(one, roots).some((form) => runsLater(form, { holds })));
  if (found === undefined) return undefined;
  return because("runs_later", { path: visibleLine(found) });
}

/** A path as it is written, and as links lead to it, relative to its root. */
function formsOf(path: string, roots: readonly string[]): string[] {
  const [first = "/"] = roots;
  const whole = resolve(first, path);
  const real = realPath(whole);
  return roots.flatMap((root) => [relative(root, whole), relative(realPath(root), real)]).filter(isBelow);
}

function isBelow(path: string): boolean {
  return path !== "" && path !== ".." && !path.startsWith("../");
}

/** The path without links, as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path); // It is missing, so it is looked at from above.
    return above === path ? path : join(realPath(above), basename(path));
  }
}
