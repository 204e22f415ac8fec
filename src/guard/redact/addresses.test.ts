import { describe, expect, it } from "vitest";
import { redactAddresses } from "./addresses.ts";
import { marked } from "./testing/marked.ts";

function checkCredentials(example: string): void {
  const { text, clean } = marked(example, "[credentials]");
  expect(redactAddresses(text)).toBe(clean);
}

function checkKept(text: string): void {
  expect(redactAddresses(text)).toBe(text);
}

describe("the value of a header", () => {
  it.each([
    "Authorization: Bearer ⟦a8f3c1d9e2⟧ for 5 minutes",
    "Authorization: Token ⟦a8f3c1d9e2 a=1, b=2⟧",
    '"Authorization", "Digest ⟦a8f3c1d9 nonce⟧"',
    "api-key: ⟦a8f3c1d9⟧ (old) until May",
    "api-key: ⟦a8f3c1d9⟧",
    "Cookie: ⟦sid=abc123; theme=dark⟧",
    'headers: { "x-api-key": "⟦a8f3c1d9⟧" }',
  ])("is removed: %s", checkCredentials);

  it.each([
    "Authorization: required",
    "Authorization: required.",
    "api-key: missing!",
    "Authorization: AuthenticationRequired in production.",
    "Authorization: getToken(user1)",
    "Authorization: $TOKEN",
    "Authorization: your-key-here",
    "Cookie: monster1",
    "Cookie: see a=b1 there",
    "Authorization: is needed on port 8080",
  ])("stays where it is none: %s", checkKept);
});

describe("what follows the name of a scheme", () => {
  it.each([
    "Bearer ⟦abcdefghijkl⟧",
    "Bearer ⟦a8f3c1d9⟧",
    "Bearer ⟦xHTTP/1.1abc⟧",
    "Basic ⟦QWxhZGRpbjpPcGVu⟧",
    "Basic ⟦qwxhzgrpbjppcgv=⟧",
  ])("is removed: %s", checkCredentials);

  it.each([
    "Token abcdefghijkl",
    "Bearer authentication",
    "Bearer ab-cdefghijklmnop",
    "Bearer abcdefghijklm-no",
    "Bearer your-token-123",
    "Bearer xxxx1234",
    "Basic HTTP/1.1 requests",
    "Basic QWxhZGRpbjpPcGV",
    "Basic understanding",
    "Basic authentication-is",
  ])("stays in a sentence: %s", checkKept);
});

describe("an address", () => {
  it.each(["https://⟦ada:p4ss⟧@host.example/", "jdbc:oracle:thin:⟦scott/tiger⟧@host"])(
    "loses name and password: %s",
    checkCredentials,
  );

  it.each([
    "https://ada:$PASSWORD@host.example/",
    "https://$USER:p4ss@host.example/",
    "https://ada:password@host.example/",
    "https://h.example/?key=home",
    "https://h.example/?key[]=home",
    "https://h.example/?code[ab]=12345",
    "https://h.example/?token=%TOKEN%",
    "https://h.example/?token=...",
    "https://h.example/?token=**",
    "https://h.example/?token=xxx1",
  ])("keeps what is no secret: %s", checkKept);

  it.each([
    "https://h.example/?key=⟦x-home⟧",
    "https://h.example/?key=⟦home-x⟧",
    "https://h.example/?key=⟦123456⟧",
    "https://h.example/?key=⟦abcdefghijklm⟧",
    "https://h.example/?token=⟦home⟧",
    "https://h.example/?token=⟦ab$cd12⟧",
    "https://h.example/?token=⟦.ab12cd⟧",
    "https://h.example/?token=⟦*ab12cd⟧",
    "https://h.example/?token=⟦xx12cd⟧",
    "https://h.example/?token=⟦%2Fab12cd⟧",
    "https://h.example/?token=⟦:ab12cd⟧",
  ])("loses the secret in its query: %s", (example) => {
    const { text, clean } = marked(example, "[secret]");
    expect(redactAddresses(text)).toBe(clean);
  });
});
