import { readFileSync } from "node:fs";

/** Returns a script of browser/. These run in the frame, not in the server. */
export function browserScript(name: string): string {
  return readFileSync(new URL(`browser/${name}`, import.meta.url), "utf8");
}
