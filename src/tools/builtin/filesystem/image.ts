import type { OpenFile } from "../../../contain/paths-open.ts";
import type { ToolContext, ToolOutput } from "../../../protocol/tool.ts";

/** Reads an image for the model. Undefined if the file is none. */
export async function readImage(
  _path: string,
  _type: string | undefined,
  _file: OpenFile,
  _context: ToolContext,
): Promise<ToolOutput | undefined> {
  return undefined;
}
