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

it.each(
  "authorization proxy-authorization x-api-key x-goog-api-key api-key x-auth-token private-token x-amz-security-token".split(
    " ",
  ),
)("the value of the header %s is removed", (name) => checkCredentials(`${name}: ⟦a8f3c1d9⟧`));

it.each(["cookie", "set-cookie"])("the value of the header %s is removed", (name) =>
  checkCredentials(`${name}: ⟦sid=abc123; theme=dark⟧`),
);

it.each("Bearer Basic Token Bot ApiKey Negotiate SSWS GenieKey Key".split(" "))(
  "what follows %s in a header is removed, even if it is letters alone",
  (scheme) => checkCredentials(`Authorization: ${scheme} ⟦abcdefgh⟧ for now`),
);

it.each(["Digest", "AWS4-HMAC-SHA256", "Hawk", "OAuth"])("all of the fields of %s are removed", (scheme) =>
  checkCredentials(`Proxy-Authorization: ${scheme} ⟦id="dh37", mac="6R4rV5"⟧`),
);

it.each("Bearer Basic Token ApiKey SSWS GenieKey".split(" "))("what follows %s alone is removed", (scheme) =>
  checkCredentials(`${scheme} ⟦a8f3c1d9⟧`),
);

it.each([
  ..."key token secret signature password passwd pwd auth credential assertion ticket jwt session".split(" "),
  ..."sig se_sig code x-amz-date-of x-goog-meta awsaccesskeyid sas pass otp nonce hmac".split(" "),
])("the value of %s in an address is removed", (name) => {
  const { text, clean } = marked(`https://h.example/?a=1&${name}=⟦a8f3c1d9e2⟧&b=2`, "[secret]");
  expect(redactAddresses(text)).toBe(clean);
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
  it.each([
    "https://⟦ada:p4ss⟧@host.example/",
    "postgres://⟦ada:p4/ss⟧@host.example/x",
    "https://⟦a8f3c1d9e2b7a8f3c1⟧@host.example/",
    "jdbc:oracle:thin:⟦scott/tiger⟧@host",
  ])("loses name and password: %s", checkCredentials);

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
