import { showPath } from "../../../contain/paths.ts";
import { Failure } from "../../../protocol/failure.ts";
import { hasHiddenMark } from "../../../protocol/hidden.ts";
import { LineEnds } from "./line-ends.ts";
import { findMatches, type Matches, type Wanted } from "./match.ts";
import { describeNearest } from "./nearest.ts";

const MAX_LINES_NAMED = 10;

export interface Applied {
  after: string;
  /** How many places were changed. */
  count: number;
  /** How texts were found that do not match exactly. */
  tolerances: string[];
}

/** Applies edits to a text in order, all or none. Throws INVALID_INPUT for the first one that has no single place. */
export function applyEdits(path: string, text: string, edits: readonly Wanted[]): Applied {
  let lines = LineEnds.of(text);
  let count = 0;
  const tolerances: string[] = [];
  for (const [index, edit] of edits.entries()) {
    const wanted = withoutReturns(edit);
    const which = edits.length === 1 ? "oldText" : `edits[${index}].oldText`;
    const matches = findMatches(lines.text, wanted);
    checkPlace(path, lines.text, which, wanted, matches, edits.length > 1);
    lines = lines.replaced(matches.hits);
    count += matches.hits.length;
    if (matches.tolerance !== "") tolerances.push(matches.tolerance);
  }
  const after = lines.original;
  if (after === text) throw refused("The new text equals the old text: nothing would change.");
  return { after, count, tolerances };
}

/** Files keep their own line ends, so those of the edit do not count. */
function withoutReturns({ oldText, newText, replaceAll }: Wanted): Wanted {
  return { oldText: oldText.replaceAll("\r\n", "\n"), newText: newText.replaceAll("\r\n", "\n"), replaceAll };
}

function checkPlace(
  path: string,
  text: string,
  which: string,
  wanted: Wanted,
  { hits, tolerance }: Matches,
  several: boolean,
): void {
  const name = showPath(path);
  const none = several ? " None of the edits was made." : "";
  if (hits.length === 0)
    throw refused(`${which} does not occur in "${name}".${none} ${advice(text, wanted)}`);
  const how = tolerance === "" ? "" : ` (${tolerance})`;
  if (hits.length > 1 && !wanted.replaceAll) {
    const lines = hits.slice(0, MAX_LINES_NAMED).map(({ start }) => lineAt(text, start));
    const shown = lines.join(", ");
    const more = hits.length > MAX_LINES_NAMED ? " and more" : "";
    throw refused(
      `${which} occurs ${hits.length} times in "${name}"${how}: at lines ${shown}${more}.${none} Give more of the lines around it, or set replaceAll.`,
    );
  }
  const unclear = hits.find((hit) => hit.unclear);
  if (unclear === undefined) return;
  throw refused(
    `${which} is at line ${lineAt(text, unclear.start)} of "${name}"${how}, but it is unclear how to indent the new text.${none} ${describeNearest(text, wanted.oldText)}`,
  );
}

function advice(text: string, { oldText, newText }: Wanted): string {
  if (hasHiddenMark(oldText)) {
    return "It holds a mark such as [secret hidden], which stands for text that was not shown. Replace other lines only.";
  }
  if (newText.trim().length > 3 && text.includes(newText))
    return `The new text is already there, at line ${lineAt(text, text.indexOf(newText))}: the edit may have been made before.`;
  const nearest = describeNearest(text, oldText);
  return nearest === "" ? "Nothing in the file is like it. Read the file again." : nearest;
}

/** The message quotes the file, whose author may be anybody. */
function refused(sentence: string): Failure {
  return new Failure("INVALID_INPUT", sentence, { untrusted: true, origin: "workspace" });
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}
