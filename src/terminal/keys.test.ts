import { describe, expect, it } from "vitest";
import { type Key, parseKeys } from "./keys.ts";

function keysIn(...pieces: string[]): string[] {
  const keys: string[] = [];
  const onKey = (key: Key) =>
    void keys.push(
      key.type === "key" ? `<${key.name}>` : key.type === "paste" ? `paste:${key.text}` : key.text,
    );
  let held = "";
  for (const piece of pieces) held = parseKeys(held + piece, onKey);
  return keys;
}

const ESC = "\x1b";

describe("the keyboard", () => {
  it.each([
    ["\r", "<enter>"],
    ["\n", "<ctrl-j>"],
    [`${ESC}\r`, "<alt-enter>"],
    [`${ESC}[13;2u`, "<shift-enter>"],
    [`${ESC}[13;3u`, "<alt-enter>"],
    [`${ESC}[27;2;13~`, "<shift-enter>"],
    [`${ESC}[99;5u`, "<ctrl-c>"],
    [`${ESC}[27u`, "<escape>"],
    [`${ESC}[1;5D`, "<ctrl-left>"],
    [`${ESC}OA`, "<up>"],
    [`${ESC}[3~`, "<delete>"],
    [`${ESC}b`, "<alt-b>"],
    [`${ESC}\x7f`, "<alt-backspace>"],
    ["\x1f", "<ctrl-_>"],
    ["\x12", "<ctrl-r>"],
  ])("reads %j as %s", (input, key) => {
    expect(keysIn(input)).toEqual([key]);
  });

  it("waits for the rest of a key or of a paste", () => {
    expect(keysIn(`a${ESC}`, "[", "A", "b")).toEqual(["a", "<up>", "b"]);
    expect(keysIn(`${ESC}[200~one\r`, "\ttwo", `${ESC}[201~\r`)).toEqual(["paste:one\n\ttwo", "<enter>"]);
  });

  it("takes lines that arrive together for one message, and the last Enter for its end", () => {
    expect(keysIn("one\r\ttwo\r")).toEqual(["one\n\ttwo", "<enter>"]);
    expect(keysIn("/he\t")).toEqual(["/he", "<tab>"]);
  });

  it("ignores what the terminal answers to questions, and keys that are released", () => {
    expect(keysIn(`${ESC}]11;rgb:ffff/ffff/ffff${ESC}\\x`)).toEqual(["x"]);
    expect(keysIn(`${ESC}[97;1:3u`)).toEqual([]);
  });
});
