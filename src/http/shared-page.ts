import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeHtml } from "../protocol/html.ts";
import type { SharedPage } from "../protocol/shares.ts";
import { BUILT_PAGE } from "./page.ts";

/** A copy is for those who have the link, and gone once it ends: nothing keeps it, lists it or tells where it was read. */
export const SHARED_HEADERS = {
  "cache-control": "private, no-store",
  "x-robots-tag": "noindex, nofollow, noarchive",
  "referrer-policy": "no-referrer",
};

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Tackle</title></head>
<body></body>
</html>
`;

/** Reads the page for readers of shared conversations. It has none of the app's code that needs an account. */
export function loadSharedPage(root = BUILT_PAGE) {
  const file = join(root, "shared.html");
  const template = existsSync(file) ? readFileSync(file, "utf8") : NOT_BUILT;

  function answer(status: number, title: string, data: unknown, words: string, origin: string): Response {
    const page = template
      .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(title)}</title>`)
      .replace("</head>", () => `<meta name="robots" content="noindex, nofollow">\n</head>`)
      // A block of data: the policy lets no script run inline.
      .replace(
        "</body>",
        () =>
          `<script type="application/json" id="copy">${inScript(data)}</script>\n<noscript>${words}</noscript>\n</body>`,
      );
    return new Response(page, {
      status,
      headers: {
        ...SHARED_HEADERS,
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policyFor(origin),
      },
    });
  }

  return {
    show: (page: SharedPage, origin: string): Response =>
      answer(200, `${page.title} – Tackle`, page, plainWords(page), origin),
    missing: (origin: string, sentence: string): Response =>
      answer(404, "Tackle", null, `<p>${escapeHtml(sentence)}</p>`, origin),
  };
}

/** Nothing inline, nothing from elsewhere, and no requests but for files of the page: what is read here stays here. */
function policyFor(origin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${origin}/s/ ${origin}/assets/ data:`,
    "font-src 'self'",
    "media-src 'none'",
    `frame-src ${origin}/s/ ${origin}/artifacts/drawing`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The words alone, for readers without scripts. */
function plainWords({ title, messages }: SharedPage): string {
  const said = messages.map(({ role, content }) => {
    const who = role === "user" ? "<h2>Question</h2>" : "<h2>Answer</h2>";
    return `${who}<pre>${escapeHtml(content)}</pre>`;
  });
  return `<h1>${escapeHtml(title)}</h1>${said.join("\n")}`;
}

/** JSON that cannot end the script around it. */
function inScript(data: unknown): string {
  return JSON.stringify(data)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}
