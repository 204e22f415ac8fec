import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, extname, join, sep } from "node:path";
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
 * The page may use its own scripts, styles and server, and nothing from elsewhere. Nothing inline runs but what the built page itself
 * holds. It may frame only artifact pages, which also keeps an artifact from navigating its frame to another site.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' INLINE",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "frame-src HOST/artifacts/",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The page to sign in. It loads nothing of the app. */
export const SIGN_IN_PAGE = "/sign-in";

/** The folder of the built web app. */
export const BUILT_PAGE = fileURLToPath(new URL("../../dist/web/", import.meta.url));
/** Served where the web app has not been built: the API and the terminal work without it. */
const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Tackle</title></head>
<body>
<h1>The web app isn’t built yet</h1>
<p>Run <code>node scripts/web.mjs</code> in the Tackle folder, then restart the server. <code>npm start</code> does both.</p>
<p>The API and the <code>tackle</code> command work without it.</p>
</body>
</html>
`;

/** Pages have addresses without an ending. */
const PLACES: Record<string, string> = { "/index.html": "/", "/sign-in.html": SIGN_IN_PAGE };

interface PageFile {
  body(): Uint8Array<ArrayBuffer>;
  /** The inline scripts of a page, as its policy names them. */
  inline: string;
  headers: Record<string, string>;
}

/** Finds the files of the web app. Only files that exist at start are served. */
export function loadPage(root = BUILT_PAGE): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  if (!existsSync(join(root, "index.html")))
    return files.set(
      "/",
      pageFile(() => new TextEncoder().encode(NOT_BUILT), "/", "text/html; charset=utf-8"),
    );
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${file.slice(join(root, sep).length).replaceAll(sep, "/")}`;
    files.set(
      PLACES[path] ?? path,
      pageFile(() => new Uint8Array(readFileSync(file)), path, type),
    );
  }
  return files;
}

function pageFile(read: () => Uint8Array<ArrayBuffer>, path: string, type: string): PageFile {
  // Built assets carry a hash of their content in their name. They are read when somebody asks for them: all together are 6 MB.
  const isAsset = path.startsWith("/assets/");
  let body = isAsset ? undefined : read();
  const tag = body ? createHash("sha256").update(body).digest("base64url").slice(0, 27) : basename(path);
  return {
    body: () => (body ??= read()),
    inline: type.startsWith("text/html") ? inlineScripts(Buffer.from(body ?? read()).toString()) : "",
    headers: {
      "content-type": type,
      etag: `"${tag}"`,
      "cache-control": isAsset ? "public, max-age=31536000, immutable" : "no-cache",
    },
  };
}

function inlineScripts(html: string): string {
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)];
  return scripts
    .map(([, code = ""]) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`)
    .join(" ");
}

/** Serves a file of the web app, or 304 if the browser has it. */
export function servePageFile(file: PageFile, request: Request): Response {
  const headers = { ...file.headers, "content-security-policy": policyFor(file, request) };
  if (request.headers.get("if-none-match") === file.headers.etag) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(file.body(), { headers });
}

function policyFor({ inline }: PageFile, request: Request): string {
  const host = request.headers.get("host") ?? "";
  const isHost = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/.test(host);
  return PAGE_POLICY.replace(" INLINE", inline && ` ${inline}`).replace(
    "HOST/artifacts/",
    isHost ? `${host}/artifacts/` : "'none'",
  );
}
