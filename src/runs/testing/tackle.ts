import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createTackle, type EmbeddedTackle, type TackleOptions } from "../../app/embed.ts";
import { streamTurn } from "../../client/turn.ts";
import type { Chat } from "../../protocol/chat.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import type { ChatRequest } from "../../protocol/requests.ts";
import { writeEmptyDatabase } from "../../store/testing/empty.ts";

/** Starts Tackle in an empty folder, with the demo model unless told otherwise. It is closed after the test. */
export async function startTackle(options: Partial<TackleOptions> = {}): Promise<EmbeddedTackle> {
  const settings = { TACKLE_DEMO_TOKENS_PER_SECOND: "0", TACKLE_LOG: "silent", ...options.settings };
  const dataDir = options.dataDir ?? (await emptyFolder());
  const tackle = await createTackle({ model: "demo/demo", ...options, dataDir, settings });
  onTestFinished(() => tackle.close());
  return tackle;
}

/** Sends a message and returns all events of its run. */
export async function eventsOf(chat: Chat, request: ChatRequest): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of streamTurn(chat, request)) events.push(event);
  return events;
}

/** Creates a data directory with an empty database, which is removed after the test. */
export async function emptyFolder(): Promise<string> {
  const path = mkdtempSync(join(tmpdir(), "tackle-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  await writeEmptyDatabase(join(path, "tackle.db"));
  return path;
}
