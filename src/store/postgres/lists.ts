// Lists as parameters. The driver quotes each element of an array separately, which for the events of a busy second costs
// more than everything else it does.

/** Encodes whole numbers for a parameter that is cast to `int[]`. */
export function integers(numbers: readonly number[]): string {
  return `{${numbers.join(",")}}`;
}

/** Encodes JSON texts for a parameter that `splitLines` reads. */
export function jsonLines(texts: readonly string[]): string {
  // A line break in JSON is white space; those in strings are escaped.
  return texts.map((text) => (text.includes("\n") ? text.replaceAll("\n", " ") : text)).join("\n");
}

/** Returns SQL that turns the text of `jsonLines` into an array again. */
export function splitLines(parameter: string): string {
  return `string_to_array(${parameter}, chr(10))`;
}

/** Turns rows into columns: one array for each, as `unnest` takes them. */
export function columnsOf<Value>(rows: readonly (readonly Value[])[], width: number): Value[][] {
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column] as Value));
}
