import { afterEach, expect, it } from "vitest";
import { hideSecrets } from "./hide.ts";
import { knowSecrets, notePassingSecrets } from "./known.ts";
import { redact } from "./redact.ts";

const value = "hummingbird tree & the hill";
const text = `They say ${value}, or ?q=${encodeURIComponent(value)} in an address.`;
const forget: (() => void)[] = [];
afterEach(() => {
  for (const one of forget.splice(0)) one();
});

it("a known secret is removed, whatever it looks like, until it is forgotten", () => {
  expect(redact(text)).toBe(text);
  const [first, second] = [knowSecrets([value]), knowSecrets([value])];
  expect(redact(text)).toBe("They say [key], or ?q=[key] in an address.");
  expect(hideSecrets(text)).toBe("They say [key hidden], or ?q=[key hidden] in an address.");
  first();
  first();
  expect(redact(text)).not.toContain(value);
  second();
  expect(redact(text)).toBe(text);
});

it("a short word or a single repeated letter is not treated as a secret", () => {
  forget.push(knowSecrets(["test-key", "aaaaaaaaaaaaaaaa", ""]));
  expect(redact("the test-key is aaaaaaaaaaaaaaaa")).toBe("the test-key is aaaaaaaaaaaaaaaa");
});

it("only the most recent temporary secrets are remembered", () => {
  notePassingSecrets([value]);
  expect(redact(text)).not.toContain(value);
  notePassingSecrets(Array.from({ length: 300 }, (_, at) => `another passing secret ${at}`));
  expect(redact(text)).toBe(text);
});
