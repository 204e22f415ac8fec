import { type View, viewsOf } from "../views.ts";

/** Characters of a long text that are read at its beginning and at its end, where attacks stand most often. */
const BEGINNING = 32_000;
const END = 16_000;

/** Between them, the callContexts of this many words that hardly an attack does without. */
const MAX_PLACES = 16;
const AROUND = 500;
const TELLING =
  /ignor|disregard|forget|system prompt|jailbr|anything now|instructions|no restrictions|in character|im_start|\[inst|vergiss|olvid|oubli|забуд|忽略|無視/gi;

/** The longest text that is read whole. */
const MAX_WHOLE = BEGINNING + END + 2 * AROUND * MAX_PLACES;

/** Characters of all readings together, after which no further one is looked at. */
const MAX_READ = 160_000;

/** The readings of a text that are looked at: however long it is and whatever it wears, a bounded number of characters. */
export function* readingsOf(text: string): Generator<View> {
  let read = 0;
  for (const view of viewsOf(excerptOf(text))) {
    yield view;
    read += view.text.length;
    if (read > MAX_READ) return;
  }
}

/** What is read of a text: all of it, or of a long one its beginning, its end, and places between that look telling. */
function excerptOf(text: string): string {
  if (text.length <= MAX_WHOLE) return text;
  const last = text.length - END;
  const pieces = [text.slice(0, BEGINNING)];
  let at = BEGINNING;
  for (let place = 0; place < MAX_PLACES; place++) {
    TELLING.lastIndex = at;
    const found = TELLING.exec(text);
    if (!found || found.index >= last) break;
    const end = Math.min(last, found.index + AROUND);
    pieces.push(text.slice(Math.max(at, found.index - AROUND), end));
    at = end;
  }
  pieces.push(text.slice(last));
  return pieces.join("\n").toWellFormed();
}
