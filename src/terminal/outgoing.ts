import { statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Chat } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import type { ChatRequest } from "../protocol/requests.ts";
import type { TypedMessage } from "./prompt.ts";
import { estimatedTokens, tokens } from "./status-line.ts";

const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;
/** A longer file is named, not attached: the model reads what it needs of it. */
const MOST_MENTIONED_BYTES = 200_000;
const MOST_MENTIONED_FILES = 10;
/** No model in use has a smaller window. */
const CERTAINLY_SHORT = 12_000;

/** Returns the path of the image that a pasted or dropped text names. Terminals quote it or put backslashes into it. */
export function imagePath(text: string, folder: string): string | undefined {
  const path = unquoted(text.trim());
  if (path.includes("\n") || !IMAGE.test(path)) return undefined;
  const whole = absolute(path, folder);
  return statSync(whole, { throwIfNoEntry: false })?.isFile() ? whole : undefined;
}

/** Stores the images and the mentioned files of a message. Returns what to send. */
export async function prepared(
  chat: Chat,
  { text, images }: TypedMessage,
  folder: string,
): Promise<Pick<ChatRequest, "message" | "attachments">> {
  const paths = [...new Set([...images, ...(await mentioned(text, folder))])];
  const attachments: { fileId: string }[] = [];
  for (const path of paths) {
    const bytes = await readFile(path).catch((thrown: Error) => {
      throw new Failure("INVALID_INPUT", `${path} cannot be read: ${thrown.message}.`, { cause: thrown });
    });
    const { fileId } = await chat.attach({ name: basename(path), bytes });
    attachments.push({ fileId });
  }
  return { message: text, ...(attachments.length > 0 ? { attachments } : {}) };
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
