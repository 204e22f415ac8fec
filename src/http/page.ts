import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

/**
 * What the page may do: its own scripts and styles, its own server, nothing inline and nothing from elsewhere. The only
 * pages that it may frame are those of artifacts, which also keeps them from leading their frame anywhere else.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src HOST/artifacts/",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const BUILT_PAGE = fileURLToPath(new URL("../../dist/web/", import.meta.url));
const PLAIN_PAGE = fileURLToPath(new URL("../web/plain/", import.meta.url));

interface PageFile {
  body: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

/** The files of a page, read once: a request can name nothing that was not there at the start. */
export function loadPage(root = standardPage()): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${file.slice(join(root, sep).length).replaceAll(sep, "/")}`;
    files.set(path === "/index.html" ? "/" : path, readPageFile(file, path, type));
  }
  return files;
}

/** The app where it has been built, else the page that needs no building. */
function standardPage(): string {
  return existsSync(join(BUILT_PAGE, "index.html")) ? BUILT_PAGE : PLAIN_PAGE;
}

function readPageFile(file: string, path: string, type: string): PageFile {
  const body = new Uint8Array(readFileSync(file));
  const hash = createHash("sha256").update(body).digest("base64url");
  return {
    body,
    headers: {
      "content-type": type,
      etag: `"${hash.slice(0, 27)}"`,
      // Built assets carry a hash of their content in their name.
      "cache-control": path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    },
  };
}

/** The answer for a file of the page; 304 when the browser has it already. */
export function servePageFile(file: PageFile, request: Request): Response {
  const headers = { ...file.headers, "content-security-policy": policyFor(request) };
  if (request.headers.get("if-none-match") === file.headers.etag) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(file.body, { headers });
}

function policyFor(request: Request): string {
  const host = request.headers.get("host") ?? "";
  const isHost = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/.test(host);
  return PAGE_POLICY.replace("HOST/artifacts/", isHost ? `${host}/artifacts/` : "'none'");
}
