import { createHash } from "node:crypto";
import { noteCall, recordCall } from "../../../protocol/audit.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import type { LaterOutcome } from "./later-changes.ts";
import { parseShell } from "./shell.ts";

const PROGRAM = /^[\w.+-]{1,40}$/;

/** Records a command before it runs, by its first program and its hash. Its text may say anything. */
export function recordCommand(
  context: ToolContext,
  command: string,
  facts: { readOnly: boolean; background?: boolean | undefined },
): Promise<void> {
  const hash = createHash("sha256").update(command).digest("hex");
  return recordCall(context, "command.run", { program: programOf(command), hash, ...facts });
}

/** Notes what became of files that run later. */
export function noteLater(context: ToolContext, { kept, put_back }: LaterOutcome): void {
  for (const path of kept) noteCall(context, "file.kept", { path });
  for (const path of put_back) noteCall(context, "file.put_back", { path });
}

/** The name of the first program, if it is plainly one. */
function programOf(command: string): string {
  try {
    const [first] = parseShell(command).pipelines[0] ?? [];
    const word = first && "words" in first ? first.words[0] : undefined;
    const name = word?.dynamic ? "" : (word?.text.split("/").at(-1) ?? "");
    return PROGRAM.test(name) ? name : "other";
  } catch {
    return "other"; // Not even the shell may know what this is.
  }
}
