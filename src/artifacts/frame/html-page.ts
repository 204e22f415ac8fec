import { Parser } from "htmlparser2";
import { applyEdits, type Edit } from "../source.ts";
import { tailwindFor } from "../tailwind.ts";

const TAILWIND_SCRIPT = /tailwindcss|@tailwindcss\/browser/i;
/** Elements that could only ask for something from outside, or open a page inside of the page. */
const REMOVED = new Set(["iframe", "frame", "frameset", "object", "embed", "portal", "fencedframe", "base"]);

/** Handlers in attributes cannot run under the policy, so each becomes a function that a script of ours attaches. */
const HANDLERS = `(() => {
  const nonce = document.currentScript.nonce;
  const made = Symbol.for("tackle.handlers");
  window[made] = [];
  const attach = (element) => {
    for (const { name, value } of [...element.attributes]) {
      if (!/^on[a-z]+$/.test(name)) continue;
      element.removeAttribute(name);
      const index = window[made].length;
      const script = document.createElement("script");
      script.nonce = nonce;
      script.textContent = "window[Symbol.for('tackle.handlers')][" + index + "] = function (event) {" + value + "\\n};";
      document.documentElement.append(script);
      script.remove();
      const run = window[made][index];
      const global = element === document.body && /^on(load|error|resize|hashchange|popstate|beforeunload|message|scroll|blur|focus)$/.test(name);
      (global ? window : element).addEventListener(name.slice(2), (event) => {
        if (run && run.call(element, event) === false) event.preventDefault();
      });
    }
  };
  const all = (root) => { if (root.nodeType !== 1) return; attach(root); for (const element of root.querySelectorAll("*")) attach(element); };
  new MutationObserver((changes) => { for (const { addedNodes } of changes) for (const node of addedNodes) all(node); })
    .observe(document, { childList: true, subtree: true });
  const flush = () => { if (document.documentElement) all(document.documentElement); };
  document.addEventListener("DOMContentLoaded", flush, { once: true });
  window.addEventListener("load", () => requestAnimationFrame(() => window[Symbol.for("tackle.frame")]?.ready()));
})();`;

/** A page of the model's own: the prelude first, a nonce on its scripts, nothing that asks for anything outside. */
export async function prepareHtml(code: string, prelude: string, nonce: string): Promise<string> {
  const edits: Edit[] = [];
  let tailwind = /\bclass\s*=/.test(code) && !/<style\b|\bstyle\s*=/i.test(code);
  let doctypeEnd = 0;
  const parser = new Parser({
    onprocessinginstruction(name) {
      if (/^!doctype/i.test(name) && doctypeEnd === 0) doctypeEnd = parser.endIndex + 1;
    },
    onopentag(name, attributes) {
      const { startIndex: start, endIndex } = parser;
      const end = endIndex + 1;
      if (name === "script") {
        if (attributes.src !== undefined) {
          if (TAILWIND_SCRIPT.test(attributes.src)) tailwind = true;
          edits.push({ start, end, text: `<script type="text/plain">` });
        } else {
          const at = start + "<script".length;
          edits.push({ start: at, end: at, text: ` nonce="${nonce}"` });
        }
      } else if (REMOVED.has(name) || isOutward(name, attributes)) {
        edits.push({ start, end, text: "<!-- -->" });
      } else if (attributes.shadowrootmode !== undefined) {
        edits.push({ start, end, text: "<template>" });
      }
    },
  });
  parser.end(code);
  const styles = tailwind ? `<style>${await tailwindFor(code)}</style>` : "";
  const first = `<script>${prelude}</script><script nonce="${nonce}">${HANDLERS}</script>${styles}`;
  edits.push({ start: doctypeEnd, end: doctypeEnd, text: first });
  const page = applyEdits(code, edits);
  return doctypeEnd === 0 ? `<!doctype html>${page}` : page;
}

function isOutward(name: string, attributes: Record<string, string>): boolean {
  if (name === "link") return true;
  return name === "meta" && attributes["http-equiv"] !== undefined;
}
