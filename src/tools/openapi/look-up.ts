import { isObject } from "../../protocol/json.ts";
import { decodeUri } from "../../protocol/uri.ts";

/** The value that a local reference such as `#/components/schemas/Pet` names. */
export function lookUp(root: unknown, reference: string): unknown {
  if (!reference.startsWith("#/")) return undefined;
  let found = root;
  for (const part of reference.slice(2).split("/")) {
    const key = decodeUri(part).replaceAll("~1", "/").replaceAll("~0", "~");
    const inside = isObject(found) || Array.isArray(found) ? found : {};
    found = Object.hasOwn(inside, key) ? (inside as Record<string, unknown>)[key] : undefined;
  }
  return found;
}
