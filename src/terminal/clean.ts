// Output of models and tools must never move the cursor, set the title or hide text from the user who approves a call.
const ESCAPE = String.fromCharCode(0x1b);
const ENDINGS = `(?:\\u0007|${ESCAPE}\\\\|\\u009c)`;
const SEQUENCES = new RegExp(
  [
    `${ESCAPE}[\\]PX^_][^\\u0007\\u001b\\u009c]{0,4096}${ENDINGS}`,
    `${ESCAPE}\\[[0-?]{0,64}[ -/]{0,8}[@-~]`,
    `\\u009b[0-?]{0,64}[ -/]{0,8}[@-~]`,
    `${ESCAPE}[ -/]{0,4}[0-Z\\\\^-~]`,
  ].join("|"),
  "g",
);
// C0 without tab and newline, DEL, C1, and the characters that change the text direction.
const CONTROLS = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const UNFINISHED = new RegExp(
  `(?:${ESCAPE}(?:\\[[0-?]*[ -/]*|[\\]PX^_][^\\u0007\\u001b\\u009c]*${ESCAPE}?|[ -/]*)|\\u009b[0-?]*[ -/]*|\\r)$`,
);
/** A longer sequence is shown as text instead of being held back. */
const LONGEST_HELD = 256;

/** Removes control sequences. Tabs become spaces, line ends become newlines. */
export function clean(text: string): string {
  return text.replace(SEQUENCES, "").replace(/\r\n?/g, "\n").replace(CONTROLS, "").replaceAll("\t", "    ");
}

/** Spells out control characters, so that a person sees everything that they approve. */
export function reveal(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replaceAll("\t", "    ");
}

/** Cleans streamed text. An incomplete sequence is held back until the rest arrives. */
export function createCleaner(): { push(text: string): string; end(): string } {
  let held = "";
  return {
    push(text) {
      const whole = held + text;
      const cut = unfinishedAt(whole);
      held = whole.slice(cut);
      return clean(whole.slice(0, cut));
    },
    end() {
      const rest = held;
      held = "";
      return clean(rest);
    },
  };
}

function unfinishedAt(text: string): number {
  const at = UNFINISHED.exec(text)?.index ?? text.length;
  return text.length - at > LONGEST_HELD ? text.length : at;
}
