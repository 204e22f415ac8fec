import { visibleText } from "../../../protocol/visible-text.ts";
import { commandRisk } from "./risk.ts";

const ORDER = { low: 0, medium: 1, high: 2 };
/** More parts are not looked at one by one. */
const MOST_PARTS = 500;
const MOST_SHOWN = 5;
/** A command of so many parts is seen at a glance. */
const SHORT = 3;

/** Returns a command for an approval. If it is long, its most dangerous parts come first, and then the whole. */
export function worstFirst(command: string): string {
  const whole = visibleText(command);
  const parts = partsOf(command);
  if (parts.length <= SHORT && whole === command) return whole;
  const judged = parts.map((part) => ({ part, risk: ORDER[commandRisk(part).risk] }));
  const worst = Math.max(...judged.map(({ risk }) => risk));
  const found = judged.filter(({ risk }) => risk === worst).map(({ part }) => `⚠ ${visibleText(part)}`);
  // If all parts are alike, none stands out.
  if (parts.length < 2 || found.length === parts.length || worst === 0) return whole;
  const more = found.length > MOST_SHOWN ? [`… and ${found.length - MOST_SHOWN} more like it`] : [];
  return [
    "Its most dangerous part:",
    ...found.slice(0, MOST_SHOWN),
    ...more,
    "",
    "The whole command:",
    whole,
  ].join("\n");
}

/** Returns the parts of a command between line ends and `;`, `&`, `|`, outside of quotes. */
export function partsOf(command: string): string[] {
  const tokens = command.matchAll(/\\.|'[^']*'|"(?:\\.|[^"\\])*"|&&|\|\||[;&\n]|./gs);
  const parts = [""];
  for (const [token] of tokens) {
    if (/^(?:&&|\|\||[;&\n])$/.test(token)) parts.push("");
    else parts[parts.length - 1] += token;
  }
  const trimmed = parts.map((part) => part.trim()).filter(Boolean);
  return trimmed.length > MOST_PARTS ? trimmed.slice(-MOST_PARTS) : trimmed;
}
