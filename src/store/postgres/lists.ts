// Lists as parameters. The driver quotes each element of an array by itself, which for the events of a busy second costs
// more than everything else that it does.

/** Whole numbers, for a parameter that is cast to `int[]`. */
export function integers(numbers: readonly number[]): string {
  return `{${numbers.join(",")}}`;
}

/** JSON texts, for a parameter that `splitLines` reads. */
export function jsonLines(texts: readonly string[]): string {
  // A line break in JSON is white space: those in strings are escaped.
  return texts.map((text) => (text.includes("\n") ? text.replaceAll("\n", " ") : text)).join("\n");
}

/** SQL for the array that `jsonLines` made one text. */
export function splitLines(parameter: string): string {
  return `string_to_array(${parameter}, chr(10))`;
}
