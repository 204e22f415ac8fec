import { Failure } from "../protocol/failure.ts";

/** `--allow-tool NAME[:PREFIX]`: calls of the tool that need no approval. */
export interface AllowRule {
  tool: string;
  prefix: string | undefined;
}

/** Reads the value of `--allow-tool`. */
export function parseAllowRule(text: string): AllowRule {
  const at = text.indexOf(":");
  const tool = (at === -1 ? text : text.slice(0, at)).trim();
  if (tool === "") {
    throw new Failure(
      "INVALID_INPUT",
      `--allow-tool ${text}: pass the name of a tool, as in execute_command:git status.`,
    );
  }
  return { tool, prefix: at === -1 || at === text.length - 1 ? undefined : text.slice(at + 1) };
}
