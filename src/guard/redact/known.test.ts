import { afterEach, expect, it } from "vitest";
import { hideSecrets } from "./hide.ts";
import { knowSecrets, notePassingSecrets, redactKnown } from "./known.ts";
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

it("a known secret is removed from Base64, wherever it begins in it, and from hexadecimal", () => {
  forget.push(knowSecrets([value]));
  const bytes = Buffer.from(value);
  for (const code of [bytes.toString("hex"), bytes.toString("hex").toUpperCase()])
    expect(hideSecrets(`A dump: ${code}.`)).toBe("A dump: [key hidden].");
  for (const before of ["", "u", "me", "ada:", "user:"])
    for (const encoding of ["base64", "base64url"] as const) {
      const code = Buffer.from(`${before}${value}:rest`).toString(encoding);
      const hidden = hideSecrets(`Basic ${code}`);
      const [start = "", end = ""] = hidden.split("[key hidden]");
      // What is left says nothing but the neighbors.
      expect(code.startsWith(start.slice("Basic ".length)) && code.endsWith(end), hidden).toBe(true);
      expect(start.length + end.length, hidden).toBeLessThan(code.length - value.length);
    }
});

it("a known secret of twelve characters is removed from Base64, a shorter one could be part of any text", () => {
  const code = (secret: string) => Buffer.from(secret).toString("base64url");
  forget.push(knowSecrets(["hummingbirds", "kingfisher7"]));
  expect(redactKnown(`a dump: ${code("hummingbirds")}`)).toBe("a dump: [key]");
  expect(redactKnown(`a dump: ${code("kingfisher7")}`)).toBe(`a dump: ${code("kingfisher7")}`);
});

it("a known secret is removed from both spellings of Base64", () => {
  const secret = "~~~hummingbird??";
  forget.push(knowSecrets([secret]));
  const spellings = (["base64", "base64url"] as const).map((one) => Buffer.from(secret).toString(one));
  expect(spellings[0]).toMatch(/\+.*\/|\/.*\+/);
  expect(spellings[1]).toMatch(/-.*_|_.*-/);
  for (const code of spellings) expect(redactKnown(`a dump: ${code}`)).toMatch(/^a dump: \[key\].{0,3}$/);
});

it("a short word or a single repeated letter is not treated as a secret", () => {
  forget.push(knowSecrets(["test-key", "aaaaaaaaaaaaaaaa", "", "hummingbird", "hummingbirds"]));
  expect(redact("a hummingbird, two hummingbirds")).toBe("a hummingbird, two [key]");
  expect(redact("the test-key is aaaaaaaaaaaaaaaa")).toBe("the test-key is aaaaaaaaaaaaaaaa");
});

it("a key in the form of a UUID is removed once it was given to us, and a key of eight characters too", () => {
  const uuid = "3f0c1b52-7a4e-4d7b-9c55-0e6f6f1f2a10";
  expect(redact(`id ${uuid} or pass4you`)).toBe(`id ${uuid} or pass4you`);
  forget.push(knowSecrets([uuid, "pass4you", "x", "abc1234"]));
  expect(redact(`id ${uuid} or pass4you`)).toBe("id [key] or [key]");
  expect(redact("the maximum context of abc12345")).toBe("the maximum context of abc12345");
});

it("only the most recent temporary secrets are remembered", () => {
  notePassingSecrets([value]);
  expect(redact(text)).not.toContain(value);
  notePassingSecrets(Array.from({ length: 300 }, (_, at) => `another passing secret ${at}`));
  expect(redact(text)).toBe(text);
});
