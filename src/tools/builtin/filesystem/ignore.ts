import { matchNames, type PathPattern, pathPattern } from "./glob.ts";

interface Rule {
  pattern: PathPattern;
  /** The rule takes back what an earlier one ignores. */
  negated: boolean;
  foldersOnly: boolean;
}

/** The rules of the `.gitignore` files from a root down to a folder. */
export interface IgnoreRules {
  readonly above: IgnoreRules | undefined;
  /** How many names the path of the folder has. */
  readonly depth: number;
  readonly rules: readonly Rule[];
}

/** Adds the rules of a folder's `.gitignore` to those of the folders above. */
export function addRules(above: IgnoreRules | undefined, depth: number, text: string): IgnoreRules {
  return { above, depth, rules: text.split(/\r?\n/).flatMap(ruleOf) };
}

function ruleOf(line: string): Rule[] {
  const text = withoutBlanksAtEnd(line);
  if (text === "" || text.startsWith("#")) return [];
  const negated = text.startsWith("!");
  const body = negated ? text.slice(1) : text;
  const foldersOnly = body.endsWith("/");
  const path = foldersOnly ? body.slice(0, -1) : body;
  if (path === "" || path === "/") return [];
  const anchored = path.includes("/");
  const inside = path.endsWith("/**") ? `${path}/*` : path;
  const pattern = pathPattern(anchored ? inside.replace(/^\//, "") : `**/${inside}`);
  return [{ pattern, negated, foldersOnly }];
}

/** Blanks at the end do not count unless a backslash is before the first. A pattern would try each blank of a line again. */
function withoutBlanksAtEnd(line: string): string {
  let end = line.length;
  while (line[end - 1] === " " || line[end - 1] === "\t") end--;
  return line.slice(0, line[end - 1] === "\\" && end < line.length ? end + 1 : end);
}

/** True if the rules ignore a path below the root. As in git, the last rule that fits wins, and the deepest file. */
export function isIgnored(
  rules: IgnoreRules | undefined,
  names: readonly string[],
  isFolder: boolean,
): boolean {
  for (let level = rules; level; level = level.above) {
    const below = names.slice(level.depth);
    const rule = level.rules.findLast(
      ({ pattern, foldersOnly }) => (isFolder || !foldersOnly) && matchNames(pattern, below),
    );
    if (rule) return !rule.negated;
  }
  return false;
}
