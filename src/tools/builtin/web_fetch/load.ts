import { containedFetch, type FetchHead } from "../../../contain/fetch.ts";
import { retryAfterIn } from "../../../protocol/abortable.ts";
import { byteSize } from "../../../protocol/byte-size.ts";
import { Failure } from "../../../protocol/failure.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import { type CachedPage, PageCache } from "./cache.ts";
import { kindByHeader, mediaTypeOf } from "./content-type.ts";
import { convertPage } from "./convert.ts";

const ACCEPT =
  "text/markdown,text/html,application/xhtml+xml;q=0.9,application/pdf;q=0.8,text/plain;q=0.8,*/*;q=0.5";

const cache = new PageCache();

/** Loads a page, from the cache where the same caller read it a few minutes ago. */
export async function loadPage(url: URL, context: ToolContext): Promise<CachedPage & { cached: boolean }> {
  const allow = context.fetchAllow ?? [];
  // One cache per caller, so that no caller can find out what others read.
  const key = JSON.stringify([context.principal.id, allow, url.href]);
  const kept = cache.get(key, context.now().getTime());
  if (kept) return { ...kept, cached: true };
  const fetched = await containedFetch(url.href, {
    allow,
    signal: context.signal,
    headers: { accept: ACCEPT },
    inspect: refuseUnreadable,
  });
  const page = await convertPage(
    { url: fetched.url, contentType: fetched.contentType, body: fetched.body },
    context.signal,
  );
  if (!page) throw notText(fetched.contentType, fetched.body.length);
  const loaded: CachedPage = {
    finalUrl: fetched.url,
    status: fetched.status,
    contentType: mediaTypeOf(fetched.contentType),
    page,
  };
  cache.set(key, loaded, context.now().getTime());
  return { ...loaded, cached: false };
}

/** Refuses answers that cannot be read, before their body is fetched. */
function refuseUnreadable(head: FetchHead): void {
  if (head.status >= 400 || head.status < 200) throw statusFailure(head);
  if (kindByHeader(head.contentType) === "binary") {
    throw notText(head.contentType, Number(head.headers["content-length"]));
  }
}

function statusFailure({ status, headers }: FetchHead): Failure {
  if (status === 404 || status === 410) {
    return new Failure(
      "NOT_FOUND",
      `There is no page at that address (status ${status}). Check the address.`,
    );
  }
  if (status === 401 || status === 402 || status === 403 || status === 451) {
    return new Failure("FORBIDDEN", `The site does not show this page to everybody (status ${status}).`);
  }
  const seconds = retryAfterIn(headers["retry-after"]) ?? 0;
  const retryable = status === 429 || status >= 500;
  return new Failure(
    "UPSTREAM_ERROR",
    `The site answered with status ${status}. Trying again ${retryable ? "later may" : "will not"} help.`,
    {
      retryable,
      ...(retryable && seconds > 0 && seconds < 86_400 ? { retryAfter: Math.ceil(seconds) } : {}),
    },
  );
}

function notText(contentType: string, bytes: number): Failure {
  const type =
    mediaTypeOf(contentType)
      .replace(/[^\w.+/-]/g, "")
      .slice(0, 60) || "of no stated type";
  const size = Number.isFinite(bytes) ? `, ${byteSize(bytes)}` : "";
  return new Failure(
    "INVALID_INPUT",
    `There is no text at that address but a file (${type}${size}), which web_fetch cannot read. ` +
      "It reads web pages, PDF, and plain text of all kinds.",
  );
}
