import { changedLater, type LaterChange, type LaterFiles } from "../../../contain/later-files.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import { visibleLine, visibleText } from "../../../protocol/visible-text.ts";
import { isOwnFile } from "./own-files.ts";

const KEEP = "Keep";
const PUT_BACK = "Put back";
const MOST_SHOWN = 200_000;
/** What became of the changes that a command made to files that run later. */
export interface LaterOutcome {
  kept: readonly string[];
  put_back: readonly string[];
}

/**
 * Puts back changes to files that run later, asks about them, and makes them again if the person keeps them: until the person answers,
 * nothing runs them. Git and package managers
 * keep their own files. Outside of runs it is the person's own command, and everything is kept.
 */
export async function settleLater(
  command: string,
  before: LaterFiles,
  { ask }: Pick<ToolContext, "ask">,
  isOver = false,
): Promise<LaterOutcome> {
  const changes = await changedLater(before);
  const doubtful = ask ? changes.filter(({ path }) => !isOwnFile(command, path)) : [];
  for (const change of doubtful) await change.putBack();
  const answer = doubtful.length > 0 && !isOver ? await ask?.(questionFor(doubtful), CHOICES) : undefined;
  const back = answer === KEEP ? [] : doubtful;
  if (answer === KEEP) for (const change of doubtful) await change.redo();
  return {
    kept: changes.filter((change) => !back.includes(change)).map(({ path }) => path),
    put_back: back.map(({ path }) => path),
  };
}

/**
 * Returns a note about files that run later and have changed while a background command ran. They are not put back: it may
 * have run for hours, and the person may have changed them.
 */
export async function laterNote(before: LaterFiles): Promise<string | undefined> {
  const paths = (await changedLater(before)).map(({ path }) => visibleLine(path));
  if (paths.length === 0) return undefined;
  return `meanwhile, files changed that run later, outside of the sandbox; look at them first: ${paths.join(", ")}`;
}

const CHOICES = { options: [PUT_BACK, KEEP], default: PUT_BACK };

function questionFor(changes: readonly LaterChange[]): string {
  const shown = changes.map(({ path, before, after }) => {
    const name = visibleLine(path);
    if (after === undefined) return `${name} was deleted.`;
    return `${name} ${before === undefined ? "is new" : "was changed"}:\n${visibleText(after)}`;
  });
  const text = shown.join("\n\n");
  const cut =
    text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN).toWellFormed()}\n[Cut: it is longer.]` : text;
  const names = changes.map(({ path }) => visibleLine(path)).join(", ");
  return `The command changed files that run later, outside of the sandbox: ${names}. Keep the changes or put them back?\n\n${cut}`;
}

/** Returns what the person should know about the changes. */
export function laterWarnings({ kept, put_back }: LaterOutcome): { code: string; message: string }[] {
  const say = (paths: readonly string[], what: string) =>
    paths.length > 0
      ? [{ code: "SENSITIVE_FILE", message: `${what}: ${paths.map(visibleLine).join(", ")}.` }]
      : [];
  return [
    ...say(kept, "The command changed files that run later, outside of the sandbox"),
    ...say(
      put_back,
      "The command changed files that run later, outside of the sandbox, and they were put back",
    ),
  ];
}
