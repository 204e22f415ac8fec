import { resolveInside, showPath } from "../../../contain/paths.ts";
import { Failure } from "../../../protocol/failure.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import { plainDiff } from "./diff.ts";
import { hashOf } from "./snapshot.ts";
import { decodeText } from "./text.ts";

const MAX_FILES = 500;
/** The text of larger files is not kept, so that no difference can be shown. */
export const MAX_KEPT_BYTES = 50_000;
const MAX_DIFF = 4_000;

interface SeenFile {
  hash: string;
  bytes?: Uint8Array;
  /** The call that was told how the file has changed, to the content with this hash. The next call knows it then. */
  told?: { toolCallId: string; hash: string };
}

/**
 * What sessions have read or written, by session and file, the newest last. It is only kept in this process: after a
 * restart, an edit is checked by its text alone.
 */
const seenFiles = new Map<string, SeenFile>();

/** Remembers the content of a file that the model of this session knows: its hash, and its bytes where they are few. */
export async function rememberFile(
  context: ToolContext,
  path: string,
  hash: string,
  bytes: Uint8Array | undefined,
): Promise<void> {
  const key = await keyOf(context, path);
  if (key === undefined) return;
  seenFiles.delete(key);
  seenFiles.set(key, { hash, ...(bytes && bytes.length <= MAX_KEPT_BYTES ? { bytes } : {}) });
  if (seenFiles.size <= MAX_FILES) return;
  const [oldest] = seenFiles.keys();
  if (oldest !== undefined) seenFiles.delete(oldest);
}

/** Throws CONFLICT with the difference if something else has changed the file since this session has read it. */
export async function refuseUnseen(context: ToolContext, path: string, bytes: Uint8Array): Promise<void> {
  const key = await keyOf(context, path);
  const seen = key === undefined ? undefined : seenFiles.get(key);
  const hash = hashOf(bytes);
  if (seen === undefined || seen.hash === hash) return;
  if (seen.told?.hash === hash && seen.told.toolCallId !== context.toolCallId) return;
  seen.told = { toolCallId: context.toolCallId, hash };
  const name = showPath(path);
  const shown = differenceOf(name, seen.bytes, bytes);
  throw new Failure(
    "CONFLICT",
    `Nothing was changed: something else has changed "${name}" since you read it. ${shown}`,
    { untrusted: true, origin: "workspace" },
  );
}

function differenceOf(name: string, before: Uint8Array | undefined, after: Uint8Array): string {
  const old = before && decodeText(before);
  const current = decodeText(after);
  if (!old || !current || after.length > MAX_KEPT_BYTES) return "Read it again.";
  const diff = plainDiff(name, old.text, current.text);
  if (diff.length > MAX_DIFF) return "Much of it is different. Read it again.";
  return `Look at the difference, then try again:\n${diff}`;
}

async function keyOf({ sessionId, roots }: ToolContext, path: string): Promise<string | undefined> {
  if (sessionId === undefined) return undefined;
  const { root, names } = await resolveInside(roots, path);
  return [sessionId, root, ...names].join("\0");
}
