import { expect, test } from "vitest";
import { appendOutput, changeStream, foldReturns, plainPiece, plainText } from "./plain-text.ts";
import { cpuTime } from "./testing/cpu-time.ts";

test("colors, titles, cursor movements and bells are removed", () => {
  expect(
    plainText("\u001b[1;31merror\u001b[0m: \u001b]8;;http://a\u0007link\u001b]8;;\u0007\u0007\u001b[2K\tx"),
  ).toBe("error: link\tx");
});

test("a progress line is folded to its last state", () => {
  expect(plainText("a\r\nb\r\n")).toBe("a\nb\n");
  expect(plainText("10%\r50%\r100%\ndone\n")).toBe("100%\ndone\n");
  expect(plainText("10%\r100%\r")).toBe("100%");
  expect(foldReturns("10%\r100%\r")).toBe("100%\r");
});

test("a long line without a return is not slow", () => {
  const long = "x".repeat(2_000_000);
  const began = performance.now();
  expect(plainText(`${long}\ry`)).toBe("y");
  expect(performance.now() - began).toBeLessThan(1_000);
});

test("a piece of nothing but returns is not slow", () => {
  expect(cpuTime(() => plainPiece("\r".repeat(64_000)))).toBeLessThan(200);
});

test("streamed pieces fold to the same text as the whole", () => {
  const whole = "start\n\u001b[33m10%\u001b[0m\r20%\r\u001b[K30%\r\nnext\r\nend\r";
  for (const size of [1, 2, 3, 7]) {
    const stream = changeStream(plainPiece);
    let shown = "";
    for (let at = 0; at < whole.length; at += size)
      shown = appendOutput(shown, stream.push(whole.slice(at, at + size)));
    shown = appendOutput(shown, stream.end());
    expect(shown.replace(/\r$/, "")).toBe(plainText(whole));
  }
});
