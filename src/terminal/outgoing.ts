import { statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Chat } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import { MAX_MESSAGE_CHARACTERS } from "../protocol/message-limits.ts";
import type { ChatRequest } from "../protocol/requests.ts";
import type { TypedMessage } from "./prompt.ts";
import { estimatedTokens, tokens } from "./status-line.ts";

const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;
/** A longer file is named, not attached: the model reads what it needs of it. */
const MOST_MENTIONED_BYTES = 200_000;
const MOST_MENTIONED_FILES = 10;
/** A model is shown at most this many attached texts of full length. */
const MOST_ATTACHED_PIECES = 2;
/** No model in use has a smaller window. */
const CERTAINLY_SHORT = 12_000;

/** Returns the path of the image that a pasted or dropped text names. Terminals quote it or put backslashes into it. */
export function imagePath(text: string, folder: string): string | undefined {
  const path = unquoted(text.trim());
  if (path.includes("\n") || !IMAGE.test(path)) return undefined;
  const whole = absolute(path, folder);
  return statSync(whole, { throwIfNoEntry: false })?.isFile() ? whole : undefined;
}

/** What a message becomes in a request. */
export type Outgoing = Pick<ChatRequest, "message" | "attachments" | "parentId">;

/**
 * Stores the images and the mentioned files of a message. Returns what to send in its place in the conversation. `limited`: the
 * message goes over the network, where its length is limited, so long pasted text is attached.
 */
export async function prepared(
  chat: Chat,
  { text, images, pasted = [] }: TypedMessage,
  folder: string,
  limited: boolean,
  place: Pick<Outgoing, "parentId" | "attachments"> = {},
): Promise<Outgoing> {
  const { message, files } = limited ? shortened(text, pasted) : { message: text, files: [] };
  const paths = [...new Set([...images, ...(await mentioned(message, folder))])];
  const attachments: { fileId: string }[] = [...(place.attachments ?? [])];
  for (const file of files) attachments.push({ fileId: (await chat.attach(file)).fileId });
  for (const path of paths) {
    const bytes = await readFile(path).catch((thrown: Error) => {
      throw new Failure("INVALID_INPUT", `${path} cannot be read: ${thrown.message}.`, { cause: thrown });
    });
    const { fileId } = await chat.attach({ name: basename(path), bytes });
    attachments.push({ fileId });
  }
  return { ...place, message, ...(attachments.length > 0 ? { attachments } : {}) };
}

/** Replaces pasted text by names of files until the message is short enough for a server. */
function shortened(
  text: string,
  pasted: readonly string[],
): { message: string; files: { name: string; bytes: Uint8Array }[] } {
  let message = text;
  const files: { name: string; bytes: Uint8Array }[] = [];
  for (const long of pasted.toSorted((one, other) => other.length - one.length)) {
    if (message.length <= MAX_MESSAGE_CHARACTERS) break;
    const first = files.length + 1;
    for (let from = 0; from < long.length; from += MAX_MESSAGE_CHARACTERS) {
      const bytes = Buffer.from(long.slice(from, from + MAX_MESSAGE_CHARACTERS).toWellFormed());
      files.push({ name: `pasted-${files.length + 1}.txt`, bytes });
    }
    const names = files.slice(first - 1).map(({ name }) => name);
    message = message.replace(long, () => `[attached as ${names.join(", ")}]`);
  }
  if (message.length <= MAX_MESSAGE_CHARACTERS && files.length <= MOST_ATTACHED_PIECES)
    return { message, files };
  const most = MAX_MESSAGE_CHARACTERS.toLocaleString("en");
  const all = (MOST_ATTACHED_PIECES * MAX_MESSAGE_CHARACTERS).toLocaleString("en");
  throw new Failure(
    "INVALID_INPUT",
    `This is too long: it has ${text.length.toLocaleString("en")} characters. A message to a server or to a running answer may have ${most}, and ${all} more if they are pasted, or piped in beside a question. Send a part of it.`,
  );
}

/** Throws INVALID_INPUT for a message that the model cannot read, and says how long it may be. */
export async function refuseTooLong(chat: Chat, message: string, wanted?: string): Promise<void> {
  if (message.length < CERTAINLY_SHORT) return;
  const models = await chat.models();
  const model = models.find(({ id, default: usual }) => (wanted === undefined ? usual : id === wanted));
  const size = estimatedTokens(message);
  if (!model?.contextWindow || size <= model.contextWindow) return;
  const most = `${model.id} reads at most ${tokens(model.contextWindow)}`;
  throw new Failure(
    "INVALID_INPUT",
    `The input is too long: it has about ${tokens(size)} tokens, and ${most}. Pass a part of it, or name the file so that the model reads what it needs.`,
  );
}

/** The files that a message mentions with an @, if they are there and short enough. */
async function mentioned(text: string, folder: string): Promise<string[]> {
  const paths: string[] = [];
  for (const [, word = ""] of text.matchAll(/(?:^|[\s("'])@([^\s@]+)/g)) {
    // A full stop or comma may belong to the sentence.
    for (const name of new Set([word, word.replace(/[.,;:!?)"']+$/, "")])) {
      const path = absolute(name, folder);
      const found = await stat(path).catch(() => undefined);
      if (!found?.isFile() || paths.length >= MOST_MENTIONED_FILES) continue;
      if (found.size > MOST_MENTIONED_BYTES && !IMAGE.test(path)) continue;
      paths.push(path);
      break;
    }
  }
  return paths;
}

function absolute(path: string, folder: string): string {
  if (path.startsWith("file://")) {
    try {
      return fileURLToPath(path);
    } catch {
      return path; // Not an address of a file on this machine.
    }
  }
  return resolve(folder, path.replace(/^~(?=[\\/])/, homedir()));
}

function unquoted(text: string): string {
  const quoted = /^(["'])(.*)\1$/s.exec(text)?.[2];
  if (quoted !== undefined) return quoted;
  return process.platform === "win32" ? text : text.replace(/\\(.)/g, "$1");
}
