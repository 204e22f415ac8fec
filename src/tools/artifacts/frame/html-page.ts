import { Parser } from "htmlparser2";
import { applyEdits, type Edit } from "../source.ts";
import { tailwindFor } from "../tailwind.ts";
import { browserScript } from "./browser-script.ts";
import { withoutForbidden, withoutForbiddenInScripts } from "./prelude.ts";

const TAILWIND_SCRIPT = /tailwindcss|@tailwindcss\/browser/i;
/** The policy blocks handlers in attributes, so this script attaches them as functions. */
const HANDLERS = browserScript("handlers.js");
const READY = `addEventListener("load", () => window[Symbol.for("tackle.frame")]?.painted());`;

export interface PreparedHtml {
  body: string;
  /** The inline scripts that may run. */
  scripts: string[];
  evaluates: boolean;
}

/**
 * Prepares an HTML artifact: adds the prelude and removes everything that loads from elsewhere. The page of an app keeps its own
 * looks, and what it loads from the given origins.
 */
export async function prepareHtml(
  original: string,
  prelude: string,
  app?: { loads: readonly string[] },
): Promise<PreparedHtml> {
  const mayLoad = (src: string) => app?.loads.some((origin) => src.startsWith(`${origin}/`)) ?? false;
  const code = withoutForbidden(
    app ? withoutForbiddenInScripts(withImports(asParsed(original), mayLoad)) : original,
  );
  const edits: Edit[] = [];
  const scripts: string[] = [];
  let tailwind = !app && /\bclass\s*=/.test(code) && !/<style\b|\bstyle\s*=/i.test(code);
  let doctypeEnd = 0;
  let scriptStart: number | undefined;
  const parser = new Parser({
    onprocessinginstruction(name) {
      if (/^!doctype/i.test(name) && doctypeEnd === 0) doctypeEnd = parser.endIndex + 1;
    },
    onopentag(name, attributes) {
      const { startIndex: start } = parser;
      const end = parser.endIndex + 1;
      if (name === "script") {
        scriptStart = end;
        const { src, type = "" } = attributes;
        if (src !== undefined && TAILWIND_SCRIPT.test(src)) tailwind = !app;
        if ((src !== undefined && !mayLoad(src)) || /speculationrules|importmap/i.test(type))
          edits.push({ start, end, text: `<script type="text/plain">` });
      }
    },
    onclosetag(name) {
      if (name !== "script" || scriptStart === undefined) return;
      const text = code.slice(scriptStart, parser.startIndex);
      if (text.trim() !== "") scripts.push(text);
      scriptStart = undefined;
    },
  });
  parser.end(code);
  const handles = /\bon[a-z]+\s*=\s*\\?["'`]/i.test(code);
  const own = handles ? [HANDLERS, READY] : [READY];
  const styles = tailwind ? `<style>${await tailwindFor(code)}</style>` : "";
  const first = [prelude, ...own].map((script) => `<script>${script}</script>`).join("") + styles;
  edits.push({ start: doctypeEnd, end: doctypeEnd, text: first });
  const page = applyEdits(code, edits);
  return {
    body: doctypeEnd === 0 ? `<!doctype html>${page}` : page,
    scripts: [...own, ...scripts],
    evaluates: handles || /\beval\s*\(|\bFunction\s*\(/.test(code),
  };
}

/** Returns the text as a browser reads it, so that the hashes of scripts are right. */
function asParsed(html: string): string {
  return html
    .toWellFormed()
    .replace(/^\uFEFF/, "")
    .replace(/\r\n?/g, "\n")
    .replaceAll("\0", "\uFFFD");
}

/** A link could also open connections that no policy forbids, so a stylesheet becomes an import. */
function withImports(html: string, mayLoad: (address: string) => boolean): string {
  return html.replace(/<link\b[^<>]*>/gi, (tag) => {
    const address = /\bhref\s*=\s*["']?([^"'\s>]+)/i.exec(tag)?.[1] ?? "";
    const isStyle = /\brel\s*=\s*["']?stylesheet\b/i.test(tag) && !/["'()\\<]/.test(address);
    return isStyle && mayLoad(address) ? `<style>@import url("${address}");</style>` : tag;
  });
}
