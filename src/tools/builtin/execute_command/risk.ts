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
  const reason = dangerIn(script);
  if (reason !== undefined) return { risk: "high", reason };
  return { risk: onlyReads(script) ? "low" : "medium" };
}
