import { describe, expect, it } from "vitest";
import { linesFrom, type Omitted, shorten } from "./long-text.ts";

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");
const note = ({ bytes, lines, line }: Omitted) =>
  `[… ${bytes} bytes, ${lines} lines omitted from line ${line} …]`;
const NOTE = /\[… (\d+) bytes, (\d+) lines omitted from line (\d+) …\]\n/;

describe("a text that is too long", () => {
  it("is left alone if it fits", () => {
    expect(shorten("x".repeat(100), { characters: 100, head: 0.5 }, note)).toBeUndefined();
  });

  it.each([0, 0.2, 0.5, 0.8, 1])("keeps whole lines of both ends, %d of it at the beginning", (head) => {
    const text = numbered(1_000);
    const { output, whole, omitted } = shorten(text, { characters: 900, head }, note) ?? expect.fail();
    expect(whole).toBe(text);
    const [all = "", bytes, lines, line] = NOTE.exec(output) ?? [];
    expect({ bytes: Number(bytes), lines: Number(lines) }).toEqual(omitted);
    const [start = "", end = ""] = output.split(all);
    expect(text.startsWith(start) && text.endsWith(end)).toBe(true);
    const middle = linesFrom(text, Number(line), omitted.lines, 1e9);
    expect(start + middle.text + end).toBe(text);
    expect(new TextEncoder().encode(middle.text).length).toBe(omitted.bytes);
    expect(start.length + end.length).toBeLessThanOrEqual(900);
    expect(start.length + end.length).toBeGreaterThan(850);
  });

  it("without line ends is cut between characters, and all of it can be reached by lines", () => {
    for (let shift = 0; shift < 4; shift++) {
      const text = `${"a".repeat(shift)}${"🙂é".repeat(20_000)}`;
      const { output, omitted } = shorten(text, { characters: 1_001, head: 0.5 }, note) ?? expect.fail();
      expect(output.isWellFormed()).toBe(true);
      expect(omitted.bytes).toBeGreaterThan(115_000);
      let read = "";
      for (let offset = 1, total = 1; offset <= total; ) {
        const range = linesFrom(text, offset, 1_000, 5_000);
        expect(range.text.isWellFormed()).toBe(true);
        read += range.text;
        offset = range.last + 1;
        total = range.total;
      }
      expect(read).toBe(text);
    }
  });

  it("that is a JSON object stays one, and its whole is readable by lines", () => {
    const stderr = numbered(5_000);
    const result = { exit_code: 1, stdout: "a\nb\n", stderr, duration_ms: 7 };
    const { output, whole, omitted } =
      shorten(JSON.stringify(result), { characters: 3_000, head: 0.2 }, note) ?? expect.fail();
    const shown = JSON.parse(output);
    expect(shown).toMatchObject({ exit_code: 1, stdout: "a\nb\n", duration_ms: 7 });
    expect(output.length).toBeLessThan(3_200);
    const [all = "", , , line] = NOTE.exec(shown.stderr) ?? [];
    const [start = "", end = ""] = shown.stderr.split(all);
    expect(end.length / start.length).toBeCloseTo(4, 0);
    expect(whole).toBe(`{"exit_code":1,"duration_ms":7}\nstdout:\na\nb\nstderr:\n${stderr}`);
    expect(start + linesFrom(whole, Number(line), omitted.lines, 1e9).text + end).toBe(stderr);
  });

  it("in two fields of a JSON object leaves room for both", () => {
    const text = JSON.stringify({ stdout: "o".repeat(60_000), stderr: "e".repeat(60_000) });
    const shown = JSON.parse(shorten(text, { characters: 30_000, head: 0.2 }, note)?.output ?? "");
    for (const field of [shown.stdout, shown.stderr]) expect(field.length).toBeGreaterThan(14_000);
  });

  it("that only begins like JSON is plain text", () => {
    const text = `{"open": "${"x".repeat(500)}`;
    expect(shorten(text, { characters: 100, head: 0.5 }, note)?.whole).toBe(text);
  });

  it("of ten million characters takes well under a second", () => {
    const text = "x".repeat(10_000_000);
    const began = performance.now();
    shorten(text, { characters: 30_000, head: 0.5 }, note);
    linesFrom(text, -10, 10, 30_000);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

describe("lines of a text", () => {
  it.each([
    [1, 2, "line 1\nline 2\n", 1, 2],
    [-2, 10, "line 4\nline 5\n", 4, 5],
    [-99, 1, "line 1\n", 1, 1],
    [0, 1, "line 1\n", 1, 1],
    [6, 5, "", 6, 5],
  ])("from %d, at most %d", (offset, limit, text, first, last) => {
    expect(linesFrom(numbered(5), offset, limit, 1_000)).toEqual({ text, first, last, total: 5 });
  });

  it("stop where the characters are used up", () => {
    expect(linesFrom(numbered(5), 2, 10, 15)).toMatchObject({ first: 2, last: 3 });
  });

  it("of nothing are none", () => {
    expect(linesFrom("", 1, 10, 100)).toEqual({ text: "", first: 1, last: 0, total: 0 });
  });
});
