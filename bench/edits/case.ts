/** One edit with its known outcome. The expected content is computed from how the case was made, never by the tool. */
export interface EditCase {
  kind: string;
  /** The file before the edit. Undefined if there is none. */
  before: string | Buffer | undefined;
  /** The arguments of the call, besides operation and path. */
  args: Record<string, unknown>;
  /** The file after the edit. Undefined if the edit has to be refused and the file has to stay as it is. */
  expected: string | Buffer | undefined;
}

/** A change of a block of lines, from which both the expected file and what a model would write are made. */
export type LineChange =
  | { keep: string }
  | { from: string; to: string }
  | { add: string }
  | { remove: string };

export interface Block {
  before: string[];
  change: LineChange[];
  after: string[];
}

/** What a change finds. */
export function oldLines(change: readonly LineChange[]): string[] {
  return change.flatMap((one) => {
    if ("keep" in one) return [one.keep];
    if ("from" in one) return [one.from];
    return "remove" in one ? [one.remove] : [];
  });
}

/** What a change leaves. */
export function newLines(change: readonly LineChange[]): string[] {
  return change.flatMap((one) => {
    if ("keep" in one) return [one.keep];
    if ("to" in one) return [one.to];
    return "add" in one ? [one.add] : [];
  });
}

/** Rewrites the lines of a change: those that stay or go, and those that come. */
export function mapChange(
  change: readonly LineChange[],
  known: (line: string) => string,
  added: (line: string) => string,
): LineChange[] {
  return change.map((one) => {
    if ("keep" in one) return { keep: known(one.keep) };
    if ("from" in one) return { from: known(one.from), to: added(one.to) };
    return "add" in one ? { add: added(one.add) } : { remove: known(one.remove) };
  });
}

export interface Random {
  /** A whole number below the limit. */
  below(limit: number): number;
  pick<Value>(values: readonly Value[]): Value;
}

export function seededRandom(seed: number): Random {
  let state = seed;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return {
    below,
    pick<Value>(values: readonly Value[]): Value {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error("there is nothing to pick from");
      return value;
    },
  };
}
