// Lists as parameters. The driver quotes each element of an array separately, which for the events of a busy second costs
// more than everything else it does.

/** Encodes whole numbers for a parameter that is cast to `int[]`. */
export function integers(numbers: readonly number[]): string {
  return `{${numbers.join(",")}}`;
}

/** Returns JSON without line breaks. They are white space in it; those in strings are escaped. */
export function oneLine(json: string): string {
  return json.includes("\n") ? json.replaceAll("\n", " ") : json;
}

/** Encodes JSON texts as one line each. */
export function jsonLines(texts: readonly string[]): string {
  return texts.map(oneLine).join("\n");
}

/** Encodes texts without control characters, except line breaks, for a parameter that `splitList` reads. */
export function listed(texts: readonly string[]): string {
  return texts.join("\u001e");
}

/** Returns SQL that turns the text of `listed` into an array again. */
export function splitList(parameter: string): string {
  return `string_to_array(${parameter}, chr(30))`;
}

/** Turns rows into columns: one array for each, as `unnest` takes them. */
export function columnsOf<Value>(rows: readonly (readonly Value[])[], width: number): Value[][] {
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column] as Value));
}
