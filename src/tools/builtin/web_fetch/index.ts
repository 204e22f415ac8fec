import { z } from "zod";
import { checkUrl } from "../../../contain/fetch-url.ts";
import { defineTool } from "../../../protocol/define-tool.ts";
import { Failure } from "../../../protocol/failure.ts";
import { loadPage } from "./load.ts";
import { type Bookmark, characterStart, endOfPiece, fingerprint, readToken, writeToken } from "./pieces.ts";
import type { Page } from "./read-page.ts";
import { sectionOf } from "./sections.ts";

const MAX_LISTED_HEADINGS = 50;
const LITTLE_TEXT = 200;
const LONG_SECTION = 1_000_000;

export default defineTool({
  name: "web_fetch",
  description:
    "Reads a page of the public web and returns its text as Markdown; also PDF, JSON and plain text. Long pages come in " +
    "pieces: go on with the continuationToken, or ask for one section by its heading. Scripts on the page are not run.",
  effect: "network",
  retry: "pure",
  trust: "untrusted",
  // It returns as much as it was asked for.
  shown: { characters: 100_000, head: 0.8 },
  limit: "web_fetch",
  timeoutMs: 30_000,
  // The fragment and the other arguments stay here.
  outgoing: ({ url }) => ({ url: url.replace(/#.*$/s, "") }),
  // Each host has its own circuit breaker.
  upstream: ({ url }) => URL.parse(url)?.host,
  input: z.object({
    url: z.string().min(1).max(8_192).describe("The whole address of the page, with http:// or https://"),
    maxChars: z
      .number()
      .int()
      .min(200)
      .max(200_000)
      .default(10_000)
      .describe("How many characters of the page's text to return at most"),
    heading: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .describe("Only the section under this heading of the page"),
    continuationToken: z
      .string()
      .min(1)
      .max(2_000)
      .optional()
      .describe("From the answer before, to read on where it stopped; with the same url"),
  }),
  async run({ url: address, maxChars, heading: wanted, continuationToken }, context) {
    const { url, allowed } = checkUrl(address, { allow: context.fetchAllow });
    url.hash = "";
    const mark = bookmarkOf(continuationToken, url);
    const { page, cached, ...source } = await loadPage(url, context);
    const heading = mark ? mark.heading : wanted;
    const section = heading === undefined ? page.text : sectionOf(page.text, page.headings, heading);
    const notes = [...page.notes];
    if (section === undefined) notes.push(headingMissing(page.headings));
    const text = section ?? "";
    const content = text === page.text ? page.content : fingerprintOfSection(text, page);
    const changed = mark !== undefined && mark.content !== content;
    if (changed)
      notes.push("The page has changed since its first part was read: parts may be missing or repeated.");
    const start = mark ? startOf(mark, text) : 0;
    const end = endOfPiece(text, start, maxChars);
    const isLast = end >= text.length;
    const token = isLast
      ? undefined
      : writeToken({ url: fingerprint(url.href), content, heading, offset: end });
    if (token !== undefined) {
      notes.push(
        `These are the characters ${start + 1} to ${end} of ${text.length}. To read on, call web_fetch with the same ` +
          `url and the continuationToken "${token}"`,
      );
    }
    const piece = text.slice(start, end);
    return {
      output: [headOf(page, source.finalUrl), piece.trim(), notes.map((note) => `[${note}]`).join("\n")]
        .filter((part) => part !== "")
        .join("\n\n"),
      data: {
        url: url.href,
        ...source,
        title: page.title,
        byline: page.byline,
        published: page.published,
        site: page.site,
        content: piece,
        headings: page.headings
          .slice(0, MAX_LISTED_HEADINGS)
          .map((one) => `${"#".repeat(one.level)} ${one.text}`),
        offset: start,
        totalChars: text.length,
        continuationToken: token,
        changed,
        notes,
      },
      sources: [new URL(source.finalUrl).origin],
      // Only who was allowed in can read what is there.
      ...(allowed || checkUrl(source.finalUrl, { allow: context.fetchAllow }).allowed
        ? { private: true }
        : {}),
      cached,
    };
  },
});

function bookmarkOf(token: string | undefined, url: URL): Bookmark | undefined {
  if (token === undefined) return undefined;
  const mark = readToken(token);
  if (mark?.url === fingerprint(url.href)) return mark;
  throw new Failure(
    "TOOL_INVALID_ARGUMENTS",
    mark
      ? "The continuationToken belongs to another url. Leave it out to read this page from its start."
      : "The continuationToken is not one of web_fetch. Leave it out to read the page from its start.",
  );
}

/** The offset to continue at. A page that has become shorter is at its end. */
function startOf(mark: Bookmark, text: string): number {
  return mark.offset >= text.length ? text.length : characterStart(text, mark.offset);
}

function headOf(page: Page, finalUrl: string): string {
  // Pages without text often have at least a description.
  const summary = page.text.length < LITTLE_TEXT ? page.description : undefined;
  const facts = [page.byline, page.published, page.site].filter((fact) => fact !== undefined).join(" · ");
  return [
    page.title && `Title: ${page.title}`,
    `URL: ${finalUrl}`,
    facts && `By: ${facts}`,
    summary && `Summary: ${summary}`,
  ]
    .filter((line) => line !== undefined && line !== "")
    .join("\n");
}

/** A long section counts as changed with its page, because its hash would take too long. */
function fingerprintOfSection(text: string, page: Page): string {
  return text.length < LONG_SECTION ? fingerprint(text) : fingerprint(`${page.content} ${text.length}`);
}

function headingMissing(all: Page["headings"]): string {
  const headings = all.slice(0, MAX_LISTED_HEADINGS).map((heading) => `"${heading.text.slice(0, 100)}"`);
  if (headings.length === 0) return "The page has no headings. Leave the heading out to read it.";
  return `The page has no such heading. Its headings are: ${headings.join(", ")}.`;
}
