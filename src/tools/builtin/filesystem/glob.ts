const MAX_ALTERNATIVES = 64;

/**
 * Returns a test of paths against a glob: `*` and `?` within a name, `**` across folders, `{a,b}` for alternatives. A glob
 * without a slash matches names only. The time is bounded by the product of both lengths.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const alternatives = expandBraces(glob).map((text) => text.replace(/^\.?\//, "").split("/"));
  return (path) => {
    const names = path.split("/");
    return alternatives.some((pattern) =>
      matchNames(pattern, pattern.length === 1 ? names.slice(-1) : names),
    );
  };
}

function expandBraces(glob: string): string[] {
  let pending = [glob];
  for (;;) {
    let changed = false;
    const next = pending.flatMap((text) => {
      const brace = /\{([^{}]*,[^{}]*)\}/.exec(text);
      if (brace?.[1] === undefined) return [text];
      changed = true;
      const [before, after] = [text.slice(0, brace.index), text.slice(brace.index + brace[0].length)];
      return brace[1].split(",").map((choice) => before + choice + after);
    });
    if (!changed || next.length > MAX_ALTERNATIVES) return pending;
    pending = next;
  }
}

function matchNames(pattern: readonly string[], names: readonly string[]): boolean {
  return matchSequence(
    pattern.length,
    names.length,
    (index) => pattern[index] === "**",
    (index, nameIndex) => matchName(pattern[index] ?? "", names[nameIndex] ?? ""),
  );
}

function matchName(pattern: string, name: string): boolean {
  return matchSequence(
    pattern.length,
    name.length,
    (index) => pattern[index] === "*",
    (index, nameIndex) => pattern[index] === "?" || pattern[index] === name[nameIndex],
  );
}

/** Wildcard matching that only backtracks to the last wildcard. */
function matchSequence(
  patternLength: number,
  length: number,
  isWildcard: (patternIndex: number) => boolean,
  fits: (patternIndex: number, index: number) => boolean,
): boolean {
  let patternIndex = 0;
  let index = 0;
  let wildcard = -1;
  let resume = 0;
  while (index < length) {
    if (patternIndex < patternLength && isWildcard(patternIndex)) {
      wildcard = patternIndex++;
      resume = index;
    } else if (patternIndex < patternLength && fits(patternIndex, index)) {
      patternIndex++;
      index++;
    } else if (wildcard >= 0) {
      patternIndex = wildcard + 1;
      index = ++resume;
    } else {
      return false;
    }
  }
  while (patternIndex < patternLength && isWildcard(patternIndex)) patternIndex++;
  return patternIndex === patternLength;
}
