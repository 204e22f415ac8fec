import type { AppPage } from "../../../protocol/apps.ts";
import { escapeHtml } from "../../../protocol/html.ts";
import { renderAppInWorker, renderInWorker } from "../worker.ts";
import { browserScript } from "./browser-script.ts";
import type { Content, Shown } from "./content.ts";
import { withLooks } from "./diagram-looks.ts";
import { importMap, inline, preloads, READING } from "./html.ts";
import { frameHeaders, sha256 } from "./policy.ts";
import { PRELUDE } from "./prelude.ts";

export interface FramePage {
  body: string;
  headers: Record<string, string>;
}

const EMPTY_FRAME = browserScript("empty-frame.js");
const DRAWING_FRAME = withLooks(browserScript("drawing-frame.js"));

const MAX_KEPT = 100;
const kept = new Map<string, Content>();

/** Returns the page that shows an artifact. `key` identifies the version for caching. */
export async function framePage(artifact: Shown, origin: string, key?: string): Promise<FramePage> {
  const known = key === undefined ? undefined : kept.get(key);
  const content = known ?? (await renderInWorker(artifact).catch(unshowable));
  if (!known && key !== undefined && !content.failed) keep(key, content);
  return pageOf(artifact.title, content, origin);
}

/** Returns the page of an app. It runs behind the same bars as an artifact. */
export async function appFrame(page: AppPage, origin: string): Promise<FramePage> {
  return pageOf("App", await renderAppInWorker(page).catch(unshowable), origin);
}

/** Returns an empty page with all libraries loaded. It waits for a message `{ type: "show", script, css }` from its parent. */
export function emptyFrame(origin: string): FramePage {
  const map = importMap();
  const content: Content = {
    head: `${inline(map, "importmap")}${preloads(["react", "react/jsx-runtime", "react-dom/client", "lucide-react", "recharts", "framer-motion"])}<style data-tackle="1"></style>`,
    body: `<div id="root"></div>${inline(EMPTY_FRAME, "module")}`,
    scripts: [map, EMPTY_FRAME],
    modules: true,
    evaluates: true,
    fromMemory: true,
  };
  return pageOf("Artifact", content, origin);
}

/**
 * Returns a page that draws diagrams for its parent. It answers `{ type: "draw", id, source, dark }` with
 * `{ type: "drawn", id, svg, width, height }` or `{ type: "drawn", id, error }`. The parent shows the SVG as an image.
 */
export function drawingFrame(origin: string): FramePage {
  const map = importMap(["mermaid"]);
  const content: Content = {
    head: `${inline(map, "importmap")}${preloads(["mermaid"])}`,
    body: `<div id="root"></div>${inline(DRAWING_FRAME, "module")}`,
    scripts: [map, DRAWING_FRAME],
    modules: true,
    purifies: true,
  };
  return pageOf("Diagrams", content, origin);
}

function pageOf(title: string, content: Content, origin: string): FramePage {
  const { head: _, failed: __, body, whole, ...policy } = content;
  return { body: whole ? body : documentOf(title, content), headers: frameHeaders({ origin, ...policy }) };
}

/** The content for a stored version that does not work: the error message. */
function unshowable(thrown: unknown): Content {
  const message = thrown instanceof Error ? thrown.message : "It cannot be shown.";
  return {
    failed: true,
    head: `<style>${READING}</style>`,
    body: `<p role="alert" data-tackle-error>This artifact does not work: ${escapeHtml(message)}</p>`,
  };
}

const FILLING =
  "html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block;color-scheme:light dark}";

/** Returns a page with the preview in a sandboxed frame, which keeps it from navigating elsewhere. */
export function lonePage(previewUrl: string, title: string, origin: string): FramePage {
  const policy = `default-src 'none'; style-src '${sha256(FILLING)}'; frame-src ${origin}/artifacts/; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return {
    body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title><style>${FILLING}</style></head><body><iframe sandbox="allow-scripts" title="${escapeHtml(title)}" src="${escapeHtml(previewUrl)}"></iframe></body></html>`,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "cache-control": "no-store",
    },
  };
}

function keep(key: string, content: Content): void {
  kept.set(key, content);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}

function documentOf(title: string, { head = "", body }: Content): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><script>${PRELUDE}</script><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title>${head}</head><body>${body}</body></html>`;
}
