import { type Mark, plainMark } from "./mark.ts";

const DOCUMENT_END = /^---[ \t]*$/m;
const IS_SECRET = /^[ \t]{0,4}["']?kind["']?:[ \t]*["']?secret["']?,?[ \t]*$/im;
const DATA = /^([ \t]*)["']?(?:data|stringData)["']?:[ \t]*(?:\{[ \t]*)?$/;
const ENTRY = /^([ \t]*["']?[\w.-]{1,200}["']?:[ \t]*["']?)([A-Za-z0-9+/]{10,}={0,3})(["']?,?[ \t]*)$/;
const BLOCK = /^([ \t]*)["']?[\w.-]{1,200}["']?:[ \t]*[|>][-+]?[ \t]*$/;

/** Removes the data of Kubernetes secrets, whose names do not say what they hold. */
export function redactManifests(text: string, mark: Mark = plainMark): string {
  if (!IS_SECRET.test(text)) return text;
  const separator = DOCUMENT_END.exec(text)?.[0];
  if (separator === undefined) return withoutData(text, mark);
  return text
    .split(/(^---[ \t]*$)/m)
    .map((part) => (IS_SECRET.test(part) ? withoutData(part, mark) : part))
    .join("");
}

function withoutData(manifest: string, mark: Mark): string {
  let inside: number | undefined;
  let block: number | undefined;
  return manifest
    .split("\n")
    .map((line) => {
      const depth = line.length - line.trimStart().length;
      const data = DATA.exec(line);
      if (data) {
        inside = depth;
        block = undefined;
        return line;
      }
      if (inside === undefined || line.trim() === "" || line.trimStart().startsWith("#")) return line;
      if (depth <= inside) {
        inside = undefined;
        return line;
      }
      if (block !== undefined && depth > block) return `${line.slice(0, depth)}${mark("secret")}`;
      block = BLOCK.test(line) ? depth : undefined;
      return line.replace(
        ENTRY,
        (_, before: string, _value, after: string) => `${before}${mark("secret")}${after}`,
      );
    })
    .join("\n");
}
