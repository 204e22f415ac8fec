import { because } from "../../../protocol/reasons.ts";
import type { CallRisk } from "../../../protocol/tool.ts";
import { dangerIn } from "./dangers.ts";
import { onlyReads } from "./readers.ts";
import { parseShell, type Script } from "./shell.ts";

/** Returns how dangerous a command line is. What only reads is low; what destroys, or breaks out, is high. */
export function commandRisk(command: string): CallRisk {
  let script: Script;
  try {
    script = parseShell(command);
  } catch {
    return { risk: "medium" }; // The shell may read it in another way than we do.
  }
  const danger = dangerIn(script);
  if (danger !== undefined) return { risk: "high", reason: because(danger) };
  return { risk: onlyReads(script) ? "low" : "medium" };
}
