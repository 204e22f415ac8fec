import { expect, test } from "vitest";
import { allowedHost, checkUrl } from "./fetch-url.ts";

function refusal(url: string): string | undefined {
  try {
    checkUrl(url);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: "INVALID_INPUT", retryable: false });
    return (error as Error).message;
  }
}

test.each([
  ["file:///etc/passwd", "Only http and https"],
  ["gopher://example.com/", "Only http and https"],
  ["javascript:alert(1)", "Only http and https"],
  ["example.com", "not a whole web address"],
  ["http://", "not a whole web address"],
  ["http://user:secret@example.com/", "user name or password"],
  ["http://127.0.0.1@example.com/", "user name or password"],
  ["http://example.com:22/", "Port 22"],
  ["http://example.com:6379/", "Port 6379"],
  ["http://exa\0mple.com/", "control characters"],
  ["http://exa\tmple.com/", "control characters"],
  ["http://127.0.0.1%00.example.com/", "not a whole web address"],
  ["http://example.com!/", "not a valid name"],
  ["http://intranet-wiki/", "not a public name"],
])("%j is refused: %s", (url, reason) => {
  expect(refusal(url)).toContain(reason);
});

test("an endless URL is refused", () => {
  expect(refusal(`http://example.com/${"a".repeat(9_000)}`)).toContain("too long");
});

test.each([
  "http://localhost/",
  "http://LOCALHOST./",
  "http://app.localhost/",
  "http://printer.local/",
  "http://metadata.google.internal/computeMetadata/v1/",
  "http://metadata.goog/",
  "http://db.home.arpa/",
  "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
])("%s is not on the public internet, whatever its name resolves to", (url) => {
  expect(refusal(url)).toContain("not on the public internet");
});

test.each([
  ["http://2130706433/", "127.0.0.1"],
  ["http://0x7f.1/", "127.0.0.1"],
  ["http://0177.0.0.01/", "127.0.0.1"],
  ["http://127.1/", "127.0.0.1"],
  ["http://127.0.0.1./", "127.0.0.1"],
  ["http://１２７.０.０.１/", "127.0.0.1"],
  ["http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/", "169.254.169.254"],
  ["http://[::ffff:169.254.169.254]/", "::ffff:a9fe:a9fe"],
  ["http://[0:0:0:0:0:0:0:1]/", "::1"],
  ["http://ⓔⓧⓐⓜⓟⓛⓔ.ⓒⓞⓜ/", "example.com"],
  ["http://bücher.example/", "xn--bcher-kva.example"],
])("%s is normalized", (url, hostname) => {
  expect(checkUrl(url).hostname).toBe(hostname);
});

test("an allow list entry matches only its exact host and port", () => {
  const allow = ["127.0.0.1:3000", " Wiki:80 ", "[::1]:9000"];
  expect(checkUrl("http://127.0.0.1:3000/", { allow }).allowed).toBe(true);
  expect(checkUrl("http://0x7f.1:3000/", { allow }).allowed).toBe(true);
  expect(checkUrl("http://wiki/", { allow }).allowed).toBe(true);
  expect(checkUrl("http://[0::1]:9000/", { allow }).allowed).toBe(true);
  expect(checkUrl("http://127.0.0.1:8080/", { allow }).allowed).toBe(false);
  expect(checkUrl("http://127.0.0.2:8080/", { allow: ["127.0.0.1:8080"] }).allowed).toBe(false);
  expect(() => checkUrl("http://127.0.0.1:3001/", { allow })).toThrow("Port 3001");
  expect(() => checkUrl("https://wiki/", { allow })).toThrow("not a public name");
});

test("an allow list entry needs a host and a port, and nothing else", () => {
  expect(["a:1", "A.example:443", "[::1]:80"].map(allowedHost)).toEqual(["a:1", "a.example:443", "::1:80"]);
  const wrong = ["a", "http://a:1", "a:1/path", "u@a:1", "*:80", "", "a:99999", ":80"];
  expect(wrong.map(allowedHost).filter((entry) => entry !== undefined)).toEqual([]);
});
