import { browserScript } from "./browser-script.ts";

/** Elements that no artifact may contain, because each could reach the network in a way that no policy forbids. */
const FORBIDDEN_ELEMENTS = ["link", "iframe", "frame", "object", "embed", "portal", "fencedframe", "base"];

/**
 * Runs in every frame before the artifact. It removes everything that could reach the network and that the policy cannot
 * forbid: WebRTC, nested frames, navigation. Storage and cookies, which throw in an opaque origin, are kept in memory. It
 * reports errors and console output to the outer page, with the name that the outer page gave the frame.
 */
export const PRELUDE = browserScript("prelude.js").replace(
  "FORBIDDEN_ELEMENTS",
  JSON.stringify(FORBIDDEN_ELEMENTS),
);

const FORBIDDEN_TAG = new RegExp(`<(/?)(?=(?:${FORBIDDEN_ELEMENTS.join("|")}))`, "gi");

/** Renames forbidden elements in markup, so that no parser creates them. */
export function withoutForbidden(html: string): string {
  return html.replace(FORBIDDEN_TAG, "<$1x-").replace(/(?=shadowrootmode|http-equiv)/gi, "data-");
}

/**
 * Does the same in what looks like scripts, with a blank: there, `a<link` compares two values. Goes forward only, because a page
 * may open a hundred thousand scripts and close none.
 */
export function withoutForbiddenInScripts(html: string): string {
  const [opening, closing] = [/<script\b/gi, /<\/script/gi];
  let result = "";
  let at = 0;
  for (let tag = opening.exec(html); tag; tag = opening.exec(html)) {
    const start = html.indexOf(">", tag.index) + 1;
    closing.lastIndex = start;
    const end = start === 0 ? undefined : closing.exec(html)?.index;
    if (end === undefined) break;
    result += html.slice(at, start) + html.slice(start, end).replace(FORBIDDEN_TAG, "< $1");
    at = end;
    opening.lastIndex = end;
  }
  return result + html.slice(at);
}
