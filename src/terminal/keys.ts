import { StringDecoder } from "node:string_decoder";

export type Key =
  /** `alone`: it arrived on its own, so it was pressed and not pasted. */
  | { type: "text"; text: string; alone: boolean }
  | { type: "enter" | "backspace" | "erase" | "escape" | "interrupt" | "end" };

export type KeyInput = NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?(raw: boolean): unknown };

/** After this time without another byte, an escape was the key itself. */
const ESCAPE_MS = 50;
const CONTROLS: Record<string, Exclude<Key["type"], "text">> = {
  "\r": "enter",
  "\n": "enter",
  "\x7f": "backspace",
  "\b": "backspace",
  "\x15": "erase",
  "\x03": "interrupt",
  "\x04": "end",
};
const ESCAPE = "\x1b";
const SEQUENCE = new RegExp(`^${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|O.|[^[O])`, "u");
const PARTIAL = new RegExp(`^${ESCAPE}(?:\\[[0-?]*[ -/]*|O)?$`, "u");

/** Reads the keyboard key by key. Returns a function that stops it. Nothing else may read the input meanwhile. */
export function readKeys(input: KeyInput, onKey: (key: Key) => void): () => void {
  const decoder = new StringDecoder("utf8");
  let held = "";
  let timer: NodeJS.Timeout | undefined;

  function onData(data: Buffer | string): void {
    clearTimeout(timer);
    let rest = held + (typeof data === "string" ? data : decoder.write(data));
    held = "";
    const alone = Array.from(rest).length === 1;
    while (rest !== "") {
      if (PARTIAL.test(rest)) {
        held = rest;
        timer = setTimeout(release, ESCAPE_MS);
        return;
      }
      const sequence = SEQUENCE.exec(rest)?.[0];
      if (sequence !== undefined) {
        rest = rest.slice(sequence.length);
        continue;
      }
      const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
      rest = rest.slice(character.length);
      const control = CONTROLS[character];
      if (control) onKey({ type: control });
      else if (!/\p{Cc}/u.test(character)) onKey({ type: "text", text: character, alone });
    }
  }

  function release(): void {
    const pressed = held === ESCAPE;
    held = "";
    if (pressed) onKey({ type: "escape" });
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
