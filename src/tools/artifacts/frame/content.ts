import { Marked } from "marked";
import type { AppPage } from "../../../protocol/apps.ts";
import type { StoredArtifact } from "../../../protocol/artifacts.ts";
import { escapeHtml } from "../../../protocol/html.ts";
import { browserScript } from "./browser-script.ts";
import { compileComponent } from "./compile.ts";
import { withLooks } from "./diagram-looks.ts";
import { importMap, inline, preloads, READING } from "./html.ts";
import { prepareHtml } from "./html-page.ts";
import type { PolicyOptions } from "./policy.ts";
import { PRELUDE, withoutForbidden } from "./prelude.ts";

export type Shown = Pick<StoredArtifact, "type" | "title" | "code">;

/** The content of an artifact's page, and what it may do. */
export interface Content extends Omit<PolicyOptions, "origin"> {
  head?: string;
  body: string;
  /** The body is a whole document. */
  whole?: boolean;
  /** The content is an error message. */
  failed?: boolean;
}

const DIAGRAM = withLooks(browserScript("diagram.js"));
const EVALUATES = /\beval\s*\(|\bFunction\s*\(/;

/** Returns the content that shows an artifact. Throws for a stored version that does not work. */
export async function contentOf({ type, code, title }: Shown): Promise<Content> {
  switch (type) {
    case "react":
      return component(code);
    case "html":
      return { ...(await prepareHtml(code, PRELUDE)), whole: true };
    case "svg": {
      const source = `data:image/svg+xml;base64,${Buffer.from(code).toString("base64")}`;
      const style =
        "<style>body{margin:0;min-height:100vh;display:grid;place-items:center}img{max-width:100%;max-height:100vh;background:light-dark(transparent,#fff)}</style>";
      return { head: style, body: `<img alt="${escapeHtml(title)}" src="${source}">` };
    }
    case "mermaid":
      return diagram(code);
    case "markdown":
      return {
        head: `<style>${READING}</style>`,
        body: `<main>${withoutForbidden(await new Marked().parse(code))}</main>`,
      };
    case "code":
      return {
        head: `<style>${READING}body{padding:0}pre{margin:0;min-height:100vh;box-sizing:border-box;border-radius:0}</style>`,
        body: `<pre><code>${escapeHtml(code)}</code></pre>`,
      };
  }
}

/** Returns the content that shows the page of an app. */
export async function appContent({ html, domains }: AppPage): Promise<Content> {
  const { connectDomains: connects = [], resourceDomains: loads = [] } = domains;
  return { ...(await prepareHtml(html, PRELUDE, { loads })), whole: true, connects, loads };
}

async function component(code: string): Promise<Content> {
  const { script: compiled, css, imports } = await compileComponent(code);
  const script = escapeScript(compiled);
  const map = importMap();
  return {
    head: `${inline(map, "importmap")}${preloads([...imports, "react/jsx-runtime"])}<style data-tackle="1">${escapeStyle(css)}</style>`,
    body: `<div id="root"></div>${inline(script, "module")}`,
    scripts: [map, script],
    modules: true,
    evaluates: EVALUATES.test(code),
  };
}

function diagram(code: string): Content {
  const source = JSON.stringify(code).replaceAll("<", "\\u003c");
  const map = importMap(["mermaid"]);
  return {
    head: `${inline(map, "importmap")}${preloads(["mermaid"])}<style>body{margin:0;padding:16px;font-family:system-ui,sans-serif}#root{display:grid;place-items:center}svg{max-width:100%;height:auto}</style>`,
    body: `<div id="root"></div><script type="application/json" id="source">${source}</script>${inline(DIAGRAM, "module")}`,
    scripts: [map, DIAGRAM],
    modules: true,
    purifies: true,
  };
}

/** Prevents a script from closing its own element. */
function escapeScript(script: string): string {
  return script.replace(/<(?=\/script|!--|script)/gi, "\\x3C");
}

function escapeStyle(css: string): string {
  return css.replace(/<\/(?=style)/gi, "<\\/");
}
