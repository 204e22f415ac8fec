import { randomBytes } from "node:crypto";
import { Marked } from "marked";
import type { StoredArtifact } from "../../protocol/store.ts";
import { readVendor } from "../vendor.ts";
import { compileComponent } from "./compile.ts";
import { prepareHtml } from "./html-page.ts";
import { frameHeaders, type PolicyOptions } from "./policy.ts";
import { PRELUDE } from "./prelude.ts";

export interface FramePage {
  body: string;
  headers: Record<string, string>;
}

export type Shown = Pick<StoredArtifact, "type" | "title" | "code">;

interface Content {
  head?: string;
  body: string;
  /** True where scripts of the artifact run. */
  scripted?: boolean;
  /** A whole document of its own, in place of head and body. */
  whole?: boolean;
}

/** Stands for the nonce until the page is sent: pages are kept, nonces are not. */
const NONCE = "tackle-nonce-placeholder";
const READING = `body{font:16px/1.6 system-ui,sans-serif;margin:0;padding:24px;color:#1e293b;background:#fff;overflow-wrap:break-word}pre{overflow:auto;padding:12px;background:#f1f5f9;border-radius:8px}code{font:14px/1.5 ui-monospace,monospace}table{border-collapse:collapse}td,th{border:1px solid #cbd5e1;padding:4px 10px}blockquote{margin:0;padding-left:16px;border-left:4px solid #cbd5e1}img{max-width:100%}@media(prefers-color-scheme:dark){body{color:#e2e8f0;background:#0f172a}pre{background:#1e293b}td,th,blockquote{border-color:#475569}a{color:#7dd3fc}}`;
const MAX_KEPT = 100;
const kept = new Map<string, Content>();

/** The page that shows an artifact, in a frame or alone. `key` names the version, whose content never changes. */
export async function framePage(artifact: Shown, origin: string, key?: string): Promise<FramePage> {
  let content = key === undefined ? undefined : kept.get(key);
  if (!content) {
    content = await contentOf(artifact);
    if (key !== undefined) keep(key, content);
  }
  const nonce = randomBytes(16).toString("base64url");
  const evaluates = content.scripted && /\beval\s*\(|\bFunction\s*\(/.test(artifact.code);
  const options: PolicyOptions = {
    origin,
    ...(content.scripted ? { nonce } : {}),
    ...(evaluates ? { evaluates } : {}),
  };
  const body = content.whole ? content.body : documentOf(artifact.title, content);
  return { body: body.replaceAll(NONCE, nonce), headers: frameHeaders(options) };
}

/**
 * An empty page with everything that components need already loaded: it waits for a message
 * `{ tackle: <name of the frame>, type: "show", script, css }` of the page around it.
 */
export function emptyFrame(origin: string): FramePage {
  const nonce = randomBytes(16).toString("base64url");
  const waiting = `import "react/jsx-runtime"; import "react-dom/client";
const { outer, ready } = window[Symbol.for("tackle.frame")];
addEventListener("message", ({ source, data }) => {
  if (source !== outer || data?.type !== "show" || typeof data.script !== "string") return;
  document.querySelector("style[data-tackle]").textContent = String(data.css ?? "");
  const root = document.getElementById("root");
  root.replaceWith(Object.assign(document.createElement("div"), { id: "root" }));
  const script = document.createElement("script");
  script.type = "module";
  script.nonce = ${JSON.stringify(nonce)};
  script.textContent = data.script;
  document.body.append(script);
});
ready();`;
  const content: Content = {
    head: `${importMap()}${preloads(["react", "react/jsx-runtime", "react-dom/client"])}<style data-tackle="1"></style>`,
    body: `<div id="root"></div><script type="module" nonce="${NONCE}">${waiting}</script>`,
  };
  const headers = frameHeaders({ origin, nonce, evaluates: true });
  return { body: documentOf("Artifact", content).replaceAll(NONCE, nonce), headers };
}

function keep(key: string, content: Content): void {
  kept.set(key, content);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}

async function contentOf({ type, code, title }: Shown): Promise<Content> {
  switch (type) {
    case "react":
      return component(code);
    case "html":
      return { body: await prepareHtml(code, PRELUDE, NONCE), scripted: true, whole: true };
    case "svg": {
      const source = `data:image/svg+xml;base64,${Buffer.from(code).toString("base64")}`;
      const style =
        "<style>body{margin:0;min-height:100vh;display:grid;place-items:center}img{max-width:100%;max-height:100vh}</style>";
      return { head: style, body: `<img alt="${escapeHtml(title)}" src="${source}">` };
    }
    case "mermaid":
      return diagram(code);
    case "markdown":
      return { head: `<style>${READING}</style>`, body: `<main>${await new Marked().parse(code)}</main>` };
    case "code":
      return {
        head: `<style>${READING}body{padding:0}pre{margin:0;min-height:100vh;box-sizing:border-box;border-radius:0}</style>`,
        body: `<pre><code>${escapeHtml(code)}</code></pre>`,
      };
  }
}

async function component(code: string): Promise<Content> {
  const { script, css, imports } = await compileComponent(code);
  return {
    head: `${importMap()}${preloads([...imports, "react/jsx-runtime"])}<style data-tackle="1">${escapeStyle(css)}</style>`,
    body: `<div id="root"></div><script type="module" nonce="${NONCE}">${escapeScript(script)}</script>`,
    scripted: true,
  };
}

function diagram(code: string): Content {
  const script = `import mermaid from "mermaid";
const { ready, failed } = window[Symbol.for("tackle.frame")];
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: dark ? "dark" : "default", suppressErrorRendering: true });
const source = JSON.parse(document.getElementById("source").textContent);
try {
  const { svg } = await mermaid.render("diagram", source);
  document.getElementById("root").innerHTML = svg;
  requestAnimationFrame(ready);
} catch (thrown) {
  failed(thrown?.message ?? thrown);
  document.getElementById("root").textContent = thrown?.message ?? String(thrown);
}`;
  const source = JSON.stringify(code).replaceAll("<", "\\u003c");
  return {
    head: `${importMap(["mermaid"])}${preloads(["mermaid"])}<style>body{margin:0;padding:16px;font-family:system-ui,sans-serif}#root{display:grid;place-items:center}svg{max-width:100%;height:auto}@media(prefers-color-scheme:dark){body{background:#0f172a;color:#e2e8f0}}</style>`,
    body: `<div id="root"></div><script type="application/json" id="source">${source}</script><script type="module" nonce="${NONCE}">${script}</script>`,
    scripted: true,
  };
}

function documentOf(title: string, { head = "", body }: Content): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><script>${PRELUDE}</script><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title>${head}</head><body>${body}</body></html>`;
}

function importMap(names?: readonly string[]): string {
  const { modules } = readVendor();
  const wanted = names ?? [...modules.keys()].filter((name) => name !== "mermaid");
  const imports = Object.fromEntries(wanted.map((name) => [name, `/vendor/${modules.get(name)?.file}`]));
  return `<script type="importmap" nonce="${NONCE}">${JSON.stringify({ imports })}</script>`;
}

/** The files of modules and of all that they import: without this they would be found one after the other. */
function preloads(names: readonly string[]): string {
  const { modules } = readVendor();
  const files = new Set(
    names.flatMap((name) => [modules.get(name)?.file, ...(modules.get(name)?.needs ?? [])]),
  );
  files.delete(undefined);
  return [...files]
    .map((file) => `<link rel="modulepreload" data-tackle="1" href="/vendor/${file}" crossorigin>`)
    .join("");
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Keeps a script from ending its own element; inside of a string or a pattern the meaning stays. */
function escapeScript(script: string): string {
  return script.replace(/<(?=\/script|!--|script)/gi, "\\x3C");
}

function escapeStyle(css: string): string {
  return css.replace(/<\/(?=style)/gi, "<\\/");
}
