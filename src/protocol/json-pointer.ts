import { decodeUri } from "./uri.ts";

/** Returns the value that a reference inside of a document names, such as `#/components/schemas/Pet`. Undefined if there is none. */
export function lookUp(root: unknown, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let found = root;
  for (const step of reference.slice(2).split("/")) {
    const key = decodeUri(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}
