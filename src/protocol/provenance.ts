import type { ToolResultPart } from "./messages.ts";

/** What is known about where the text of a result comes from. */
export type Provenance = Partial<
  Pick<ToolResultPart, "origin" | "effect" | "sources" | "private" | "links" | "labels">
>;

/** Returns those facts about a result, without the ones that are missing. */
export function provenanceOf({
  origin,
  effect,
  sources,
  private: isPrivate,
  links,
  labels,
}: Provenance): Provenance {
  return {
    ...(effect ? { effect } : {}),
    ...(origin ? { origin } : {}),
    ...(sources && sources.length > 0 ? { sources } : {}),
    ...(isPrivate ? { private: true } : {}),
    ...(links && links.length > 0 ? { links } : {}),
    ...(labels && labels.length > 0 ? { labels } : {}),
  };
}

const BEGINNING = /https?:\/\//gi;
const MOST_ADDRESSES = 5_000;
const MOST_CHARACTERS = 8_192;
/** That of an archived page holds the page's own, and hardly any holds more. */
const MOST_INSIDE = 3;

/** Returns the web addresses in a text, each in its normal form. */
export function addressesIn(text: string): string[] {
  const found = new Set<string>();
  let end = 0;
  let inside = 0;
  for (const { index } of text.matchAll(BEGINNING)) {
    inside = index < end ? inside + 1 : 0;
    if (inside > MOST_INSIDE) continue;
    const written = addressAt(text, index);
    end = Math.max(end, index + written.length);
    const address = webAddress(written);
    // The fragment is for the reader alone.
    if (address !== undefined) found.add(address).add(address.replace(/#.*$/s, ""));
    if (found.size >= MOST_ADDRESSES) break;
  }
  return [...found];
}

/** Returns a web address in its normal form. Undefined if it is none. */
export function webAddress(address: string): string | undefined {
  const url = URL.parse(address.trim());
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/** Reads an address up to the end of the link or the sentence around it. */
function addressAt(text: string, start: number): string {
  const open: string[] = [];
  let end = start;
  for (; end < text.length && end - start < MOST_CHARACTERS; end++) {
    const sign = text[end] ?? "";
    if (/[\s<>"'`\\]/.test(sign)) break;
    if ("([{".includes(sign)) open.push(sign);
    // A bracket that was opened before the address does not belong to it.
    if (")]}".includes(sign) && open.pop() === undefined) break;
  }
  while (end > start && /[.,;:!?*_]/.test(text[end - 1] ?? "")) end--;
  return text.slice(start, end);
}
