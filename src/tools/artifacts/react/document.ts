import { Parser } from "htmlparser2";
import type { ArtifactIssue } from "../../../protocol/events.ts";
import { problemOf } from "./parse.ts";

/** Extracts the component from an HTML page that a model wrote around it. Returns undefined for code that parses. */
export function componentInDocument(code: string): { code: string; issues: ArtifactIssue[] } | undefined {
  if (!/^\s*(?:<!--[\s\S]*?-->\s*)?<(?:!doctype|html|head|body)\b/i.test(code) || !problemOf(code))
    return undefined;
  const { scripts, styles } = readDocument(code);
  const script = scripts
    .filter(({ text }) => text.trim() !== "")
    .reduce((best, one) => (one.text.length > best.length ? one.text : best), "");
  const component = script === "" ? bodyOf(code) : script;
  const issues: ArtifactIssue[] = [
    { severity: "fixed", message: "The document around the component was removed." },
  ];
  if (styles.length === 0) return { code: component, issues };
  const sheet = JSON.stringify(styles.join("\n"));
  const keep = `\n\ndocument.head.append(Object.assign(document.createElement("style"), { textContent: ${sheet} }));\n`;
  return { code: component + keep, issues };
}

function readDocument(code: string): { scripts: { text: string }[]; styles: string[] } {
  const scripts: { text: string }[] = [];
  const styles: string[] = [];
  let into: ((text: string) => void) | undefined;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (
        name === "script" &&
        attributes.src === undefined &&
        !/json|importmap/i.test(attributes.type ?? "")
      ) {
        const script = { text: "" };
        scripts.push(script);
        into = (text) => {
          script.text += text;
        };
      } else if (name === "style") {
        const at = styles.push("") - 1;
        into = (text) => {
          styles[at] += text;
        };
      }
    },
    ontext: (text) => into?.(text),
    onclosetag(name) {
      if (name === "script" || name === "style") into = undefined;
    },
  });
  parser.end(code);
  return { scripts, styles };
}

/** The content of a page without scripts. */
function bodyOf(code: string): string {
  return code
    .replace(/<!doctype[^>]*>/i, "")
    .replace(/<head\b[\s\S]*?<\/head>/i, "")
    .replace(/<\/?(?:html|body|head)\b[^>]*>/gi, "")
    .trim();
}
