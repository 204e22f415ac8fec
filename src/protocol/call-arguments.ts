import { isObject, parseJson } from "./json.ts";

type ReadArguments = { ok: true; value: Record<string, unknown>; repaired: boolean } | { ok: false };

/** Reads a call's arguments. Repairs only what cannot change their meaning. */
export function readArguments(text: string): ReadArguments {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null") return { ok: true, value: {}, repaired: trimmed !== text };
  const plain = parseJson(trimmed);
  if (isObject(plain)) return { ok: true, value: plain, repaired: false };
  const mended = typeof plain === "string" ? parseJson(plain) : parseJson(mend(trimmed));
  return isObject(mended) ? { ok: true, value: mended, repaired: true } : { ok: false };
}

/** Removes a Markdown fence and trailing commas, and escapes raw line breaks in strings. Never closes what is open. */
function mend(text: string): string {
  const [opening] = /^```[a-z]*[^\S\n]*\n/i.exec(text) ?? [];
  const body =
    opening !== undefined && text.endsWith("```") ? text.slice(opening.length, -"```".length) : text;
  let result = "";
  let inString = false;
  for (let index = 0; index < body.length; index++) {
    const character = body[index] as string;
    if (inString) {
      if (character === "\\") result += character + (body[++index] ?? "");
      else if (character === "\n") result += "\\n";
      else if (character === "\r") result += "\\r";
      else if (character === "\t") result += "\\t";
      else result += character;
      if (character === '"') inString = false;
      continue;
    }
    if (character === "," && /^\s*[}\]]/.test(body.slice(index + 1, index + 200))) continue;
    if (character === '"') inString = true;
    result += character;
  }
  return result;
}
