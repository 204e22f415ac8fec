const MAX_ALTERNATIVES = 64;

/** One element of a name pattern: `*`, or a test of one character. */
type Token = "*" | ((character: string) => boolean);

/** A path pattern: for each name `**`, or its tokens. */
export type PathPattern = readonly ("**" | readonly Token[])[];

/**
 * Returns a test of paths against a glob: `*`, `?` and `[a-z]` within a name, `**` across folders, `{a,b}` for alternatives.
 * A glob without a slash matches names only. The time is bounded by the product of both lengths.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const alternatives = expandBraces(glob)
    // Names such as [id].tsx are common, so brackets may also stand for themselves.
    .flatMap((text) => (text.includes("[") ? [text, text.replaceAll("[", "\\[")] : [text]))
    .map((text) => pathPattern(text.replace(/^\.?\//, "")));
  return (path) => {
    const names = path.split("/");
    return alternatives.some((pattern) =>
      matchNames(pattern, pattern.length === 1 ? names.slice(-1) : names),
    );
  };
}

/** Compiles a pattern without braces. */
export function pathPattern(text: string): PathPattern {
  return text.split("/").map((name) => (name === "**" ? name : tokensOf(name)));
}

function tokensOf(name: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < name.length; at++) {
    const character = name[at] ?? "";
    const set = character === "[" ? /^\[([!^]?)(\]?[^\]]*)\]/.exec(name.slice(at)) : null;
    if (character === "*") {
      if (tokens.at(-1) !== "*") tokens.push("*");
    } else if (character === "?") tokens.push(() => true);
    else if (set) {
      tokens.push(oneOf(set[2] ?? "", set[1] !== ""));
      at += set[0].length - 1;
    } else {
      const literal = character === "\\" && at + 1 < name.length ? (name[++at] ?? "") : character;
      tokens.push((other) => other === literal);
    }
  }
  return tokens;
}

function oneOf(set: string, negated: boolean): (character: string) => boolean {
  const ranges = [...set.matchAll(/(.)-(.)|\\?(.)/gsu)].map(([, from, to, single]) => [
    from ?? single ?? "",
    to ?? single ?? "",
  ]);
  return (character) =>
    ranges.some(([from = "", to = ""]) => character >= from && character <= to) !== negated;
}

function expandBraces(glob: string): string[] {
  let pending = [glob];
  for (;;) {
    let changed = false;
    const next = pending.flatMap((text) => {
      const brace = /\{([^{},]*,[^{}]*)\}/.exec(text);
      if (brace?.[1] === undefined) return [text];
      changed = true;
      const [before, after] = [text.slice(0, brace.index), text.slice(brace.index + brace[0].length)];
      return brace[1].split(",").map((choice) => before + choice + after);
    });
    if (!changed || next.length > MAX_ALTERNATIVES) return pending;
    pending = next;
  }
}

/** True if the names of a path fit a pattern. */
export function matchNames(pattern: PathPattern, names: readonly string[]): boolean {
  return matchSequence(
    pattern.length,
    names.length,
    (index) => pattern[index] === "**",
    (index, nameIndex) => {
      const tokens = pattern[index];
      return tokens !== undefined && tokens !== "**" && matchName(tokens, names[nameIndex] ?? "");
    },
  );
}

function matchName(tokens: readonly Token[], name: string): boolean {
  return matchSequence(
    tokens.length,
    name.length,
    (index) => tokens[index] === "*",
    (index, nameIndex) => {
      const token = tokens[index];
      return typeof token === "function" && token(name[nameIndex] ?? "");
    },
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
