import { Failure } from "../../protocol/failure.ts";
import type { ImportedSession } from "../../protocol/imports.ts";
import { readChatGpt } from "./chatgpt.ts";
import { readClaude } from "./claude.ts";
import { readLibreChat } from "./librechat.ts";
import { readTackle } from "./tackle.ts";

const READERS = [readTackle, readChatGpt, readLibreChat, readClaude];
const MOST_SESSIONS = 1_000;
const MOST_TITLE_CHARACTERS = 200;

/** Reads the conversations of an export, from Tackle or another program. Throws INVALID_INPUT. */
export function readConversations(document: unknown): ImportedSession[] {
  const entries = Array.isArray(document) ? document : [document];
  if (entries.length > MOST_SESSIONS)
    throw new Failure("INVALID_INPUT", `Send at most ${MOST_SESSIONS} conversations at once.`);
  return entries.map((entry, index) => {
    const session = readOne(entry);
    if (session) return session;
    const which = Array.isArray(document) ? `Entry ${index + 1}` : "This";
    throw new Failure(
      "INVALID_INPUT",
      `${which} is no conversation that can be read: JSON exports of Tackle, ChatGPT, LibreChat and Claude can.`,
    );
  });
}

function readOne(entry: unknown): ImportedSession | undefined {
  for (const read of READERS) {
    const session = read(entry);
    if (!session) continue;
    const { title, ...rest } = session;
    return { ...rest, title: title.trim().slice(0, MOST_TITLE_CHARACTERS).toWellFormed() || "Imported" };
  }
  return undefined;
}
