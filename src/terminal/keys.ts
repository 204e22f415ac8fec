import { StringDecoder } from "node:string_decoder";

export type Key =
  /** `alone`: it arrived on its own, so it was pressed and not pasted. */
  | { type: "text"; text: string; alone: boolean }
  /** Text that the terminal marked as pasted. */
  | { type: "paste"; text: string }
  /** Any other key by its name, such as `enter`, `ctrl-a`, `alt-left` or `shift-enter`. */
  | { type: "key"; name: string };

export type KeyInput = NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?(raw: boolean): unknown };

/** After this time without another byte, an escape was the key itself. */
const ESCAPE_MS = 50;
const ESCAPE = "\x1b";
const PASTE_START = `${ESCAPE}[200~`;
const PASTE_END = `${ESCAPE}[201~`;
const SEQUENCE = new RegExp(`^${ESCAPE}(?:\\[([0-?]*)[ -/]*([@-~])|O(.))`, "u");
/** What terminals answer to queries. No key was pressed. */
const REPLY = new RegExp(`^${ESCAPE}[\\]P_^][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)`, "u");
const PARTIAL = new RegExp(`^${ESCAPE}(?:\\[[0-?]*[ -/]*|O|[\\]P_^][^\\u0007${ESCAPE}]*${ESCAPE}?)?$`, "u");

/** Makes the terminal mark pastes and tell Shift-Enter from Enter, where it can. */
export const ENTER_KEYBOARD = "\x1b[?2004h\x1b[>1u\x1b[>4;1m";
export const LEAVE_KEYBOARD = "\x1b[>4;0m\x1b[<u\x1b[?2004l";

const BY_LETTER: Record<string, string> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  M: "enter",
  Z: "shift-tab",
};
const BY_NUMBER: Record<string, string> = {
  1: "home",
  3: "delete",
  4: "end",
  5: "page-up",
  6: "page-down",
  7: "home",
  8: "end",
};
const BY_CODE: Record<number, string> = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "escape",
  127: "backspace",
  57414: "enter",
};

/** Reads the keyboard key by key. Returns a function that stops it. Nothing else may read the input meanwhile. */
export function readKeys(input: KeyInput, onKey: (key: Key) => void): () => void {
  const decoder = new StringDecoder("utf8");
  let first = true;
  let held = "";
  let timer: NodeJS.Timeout | undefined;

  function onData(data: Buffer | string): void {
    clearTimeout(timer);
    const text = typeof data === "string" ? data : decoder.write(data);
    // What was typed before this program read the keyboard had its Enter turned into a line feed.
    const typed = first ? text.replaceAll("\n", "\r") : text;
    first = false;
    held = parseKeys(held + typed, onKey);
    if (held !== "" && !held.startsWith(PASTE_START)) timer = setTimeout(release, ESCAPE_MS);
  }

  function release(): void {
    const pressed = held === ESCAPE;
    held = "";
    if (pressed) onKey({ type: "key", name: "escape" });
  }

  input.setRawMode?.(true);
  input.on("data", onData);
  input.resume();
  return () => {
    clearTimeout(timer);
    input.off("data", onData);
    input.pause();
    input.setRawMode?.(false);
  };
}

/** Reads all keys in a piece of input. Returns the beginning of a key that is not complete yet. */
export function parseKeys(input: string, onKey: (key: Key) => void): string {
  let rest = input;
  const alone = input.length <= 2 && Array.from(input).length === 1;
  // In a terminal that does not mark pastes, lines that arrive together are one message.
  const pasted = /[\r\n](?:[^\p{Cc}]|\t)/u.test(input);
  while (rest !== "") {
    if (rest.startsWith(PASTE_START)) {
      const end = rest.indexOf(PASTE_END);
      if (end === -1) return rest;
      onKey({ type: "paste", text: rest.slice(PASTE_START.length, end).replace(/\r\n?/g, "\n") });
      rest = rest.slice(end + PASTE_END.length);
      continue;
    }
    if (rest.startsWith(ESCAPE)) {
      if (PARTIAL.test(rest)) return rest;
      const [length, name] = escaped(rest);
      rest = rest.slice(length);
      if (name !== undefined) onKey({ type: "key", name });
      continue;
    }
    const text = (pasted ? /^(?:[^\p{Cc}]|\t|[\r\n]+(?=[^\p{Cc}]|\t))+/u : /^[^\p{Cc}]+/u).exec(rest)?.[0];
    if (text !== undefined) {
      onKey({ type: "text", text: text.replace(/\r\n?/g, "\n"), alone });
      rest = rest.slice(text.length);
      continue;
    }
    onKey({ type: "key", name: controlName(rest.charCodeAt(0)) });
    rest = rest.slice(rest.startsWith("\r\n") ? 2 : 1);
  }
  return "";
}

/** Returns how long the sequence at the beginning is, and the name of its key if it is one. */
function escaped(rest: string): [length: number, name?: string] {
  const reply = REPLY.exec(rest)?.[0];
  if (reply !== undefined) return [reply.length];
  const found = SEQUENCE.exec(rest);
  if (found) {
    const [whole, parameters = "", final = "", single] = found;
    const name = single === undefined ? sequenceName(parameters, final) : BY_LETTER[single];
    return name === undefined ? [whole.length] : [whole.length, name];
  }
  const next = String.fromCodePoint(rest.codePointAt(1) ?? 0);
  // Two escapes in a row are two presses.
  if (next === ESCAPE) return [1, "escape"];
  return [1 + next.length, `alt-${/\p{Cc}/u.test(next) ? controlName(next.charCodeAt(0)) : next}`];
}

function sequenceName(parameters: string, final: string): string | undefined {
  const [first = "", second = "", third = ""] = parameters.split(";");
  if (final === "u") return withModifiers(codeName(Number.parseInt(first, 10)), second);
  if (final === "~" && first === "27") return withModifiers(codeName(Number(third)), second);
  if (final === "~") return withModifiers(BY_NUMBER[first], second);
  return withModifiers(BY_LETTER[final], second);
}

function codeName(code: number): string | undefined {
  if (BY_CODE[code] !== undefined) return BY_CODE[code];
  // The private area has keys that type nothing.
  return code >= 32 && !(code >= 0xe000 && code <= 0xf8ff) && code <= 0x10ffff
    ? String.fromCodePoint(code)
    : undefined;
}

function withModifiers(name: string | undefined, parameter: string): string | undefined {
  if (name === undefined) return undefined;
  const [modifiers = "", event] = parameter.split(":");
  if (event === "3") return undefined; // It was released.
  const bits = Math.max(0, (Number.parseInt(modifiers, 10) || 1) - 1);
  const prefix = `${bits & 4 ? "ctrl-" : ""}${bits & 2 ? "alt-" : ""}${bits & 1 && name.length > 1 ? "shift-" : ""}`;
  return prefix + name;
}

function controlName(code: number): string {
  if (code === 10) return "ctrl-j";
  if (BY_CODE[code] !== undefined) return BY_CODE[code];
  if (code === 0) return "ctrl-space";
  if (code <= 26) return `ctrl-${String.fromCharCode(code + 96)}`;
  return `ctrl-${String.fromCharCode(code + 64).toLowerCase()}`;
}
