import { pauseIfLong } from "../protocol/slices.ts";
import type { HttpContext } from "./context.ts";

/** Shorter answers are sent at once. */
const AT_ONCE = 128 * 1024;
const PIECE = 64 * 1024;

/** Answers with a list under a name. A long one is encoded and sent in slices, so that it never holds the event loop for long. */
export async function answerList(c: HttpContext, name: string, list: readonly unknown[]): Promise<Response> {
  const entries: string[] = [];
  for (const entry of list) {
    entries.push(JSON.stringify(entry));
    await pauseIfLong();
  }
  return answerText(c, `{${JSON.stringify(name)}:[${entries.join(",")}]}`, {
    "content-type": "application/json",
  });
}

/** Answers with a text, a long one likewise in slices. */
export function answerText(c: HttpContext, text: string, headers: Record<string, string>): Response {
  if (text.length <= AT_ONCE) return c.body(text, 200, headers);
  const pieces = piecesOf(text);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await pauseIfLong();
      const { value, done } = pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return c.body(body, 200, headers);
}

function* piecesOf(text: string): Generator<Uint8Array, undefined> {
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = Math.min(text.length, at + PIECE);
    // A character of two code units stays whole.
    if (end < text.length && (text.charCodeAt(end) & 0xfc00) === 0xdc00) end++;
    yield Buffer.from(text.slice(at, end));
  }
}
