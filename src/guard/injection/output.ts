import { withoutInvisible } from "../text-variants.ts";
import { scanOutgoing } from "./outgoing.ts";
import { scanInSlices } from "./scan.ts";

const MANY_INVISIBLE = 10;

/** Labels suspicious content in a tool's output. The output itself stays as it is. */
export async function scanOutput(text: string): Promise<{ labels: string[] }> {
  const { flagged, labels } = await scanInSlices(text);
  const found = flagged ? ["injection", ...labels] : [];
  if (text.length - withoutInvisible(text).length >= MANY_INVISIBLE) found.push("hidden_characters");
  if (/!\[[^\]\n]{0,200}\]\(/.test(text) && scanOutgoing(text).suspicious) found.push("suspicious_link");
  return { labels: found };
}
