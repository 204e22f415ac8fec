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

/** Does the same in what looks like scripts, with a blank: there, `a<link` compares two values. */
export function withoutForbiddenInScripts(html: string): string {
  return html.replace(
    /(<script\b[^>]*>)([\s\S]*?)(?=<\/script)/gi,
    (_, tag: string, script: string) => tag + script.replace(FORBIDDEN_TAG, "< $1"),
  );
}
