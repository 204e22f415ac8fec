import { withoutInvisible } from "../views.ts";
import { scanOutgoing } from "./outgoing.ts";
import { scan } from "./scan.ts";

const MANY_INVISIBLE = 10;

/** What a tool's output has in it that a reader should know: labels, and nothing is taken out. */
export function scanOutput(text: string): { labels: string[] } {
  const { flagged, labels } = scan(text);
  const found = flagged ? ["injection", ...labels] : [];
  if (text.length - withoutInvisible(text).length >= MANY_INVISIBLE) found.push("hidden_characters");
  if (/!\[[^\]\n]{0,200}\]\(/.test(text) && scanOutgoing(text).suspicious) found.push("suspicious_link");
  return { labels: found };
}
