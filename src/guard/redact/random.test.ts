import { expect, it } from "vitest";
import { cpuTime } from "../../protocol/testing/cpu-time.ts";
import { isFiller, isPlaceholder } from "./placeholder.ts";
import { isCamelCaseWords, isCertain, isIdentifier, isPassword, isRandom } from "./random.ts";
import { redact } from "./redact.ts";

it.each([
  "q7Zk29LmXw4T",
  "a8f3c1d9e2",
  "xkqzvbnmwrtpsdfg",
  "123456789012346789",
  "kf83-dk29-qm47-zz81",
  "QwXzPlMkNbVcRtYs",
  "x7Kp2mQ9aZ",
  "928374651029384",
  "a8f3-b2c9-d4e1",
])("%s is random", (value) => {
  expect(isRandom(value)).toBe(true);
});

it.each([
  "q7Zk29Lm",
  "getToken(user)",
  "v1.22.333-beta4",
  "2026-01-01T00:00:00Z",
  "12345678901234",
  "https://example.com/a8f3c1d9e2b7",
  "SalesResults-1.2",
  "mail.q7zk29lm.internal",
  "abcdefghijklmnop1",
  "content-security-policy",
  "ContentSecurityPolicy",
  "aaaaaaaaaaaa1",
  "1111111111a",
  "x7Kp2mQ9a",
  "listOfItemsToShow",
  "internal.example.com:8080",
  "abcdefghij0123456789abc",
])("%s is not random", (value) => {
  expect(isRandom(value)).toBe(false);
});

it("only text that cannot be a word, an id or a hash is certainly a secret", () => {
  expect(isCertain("Tr0ub4dor&3", true, false)).toBe(false);
  expect(isCertain("Tr0ub4dor3x", true, false)).toBe(true);
  expect(isCertain("Tr0ub4d", true, false)).toBe(false);
  expect(isCertain("11111111a", true, false)).toBe(false);
  expect(isCertain("q7Zk29LmXw4Tb8", false, true)).toBe(true);
  expect(isCertain("q7Zk29LmXw4Tb", false, true)).toBe(false);
  expect(isCertain("q7Zk29LmXw4TbPq81sVe", false, false)).toBe(true);
  expect(isCertain("q7Zk29LmXw4TbPq81sV", false, false)).toBe(false);
  expect(isCertain("q7zk29lmxw4tbpq81sve", false, false)).toBe(false);
  expect(isCertain("hunter22", true, false)).toBe(true);
  expect(isCertain("hunter2", true, false)).toBe(false);
  expect(isCertain("your-key-here-Xxxx1234567890", false, false)).toBe(false);
});

it.each(["Uint8Array", "metadata?.signature", "Ed25519.KeyPair", "userToken", "config.apiKey;"])(
  "%s is an identifier",
  (value) => {
    expect(isIdentifier(value)).toBe(true);
  },
);

it.each(["hunter2", "q7Zk29LmXw4T", "8fj20sk4", "a.8fj20sk4", "token", "TOKEN"])(
  "%s is not an identifier",
  (value) => {
    expect(isIdentifier(value)).toBe(false);
  },
);

it("a password is anything but a word of a sentence", () => {
  for (const value of ["hunter2", "c0rrect!", "p4ss"]) expect(isPassword(value, false)).toBe(true);
  for (const value of ["abc", "required", "getPassword()", "!valid", "12.5.2026", "letmein"])
    expect(isPassword(value, false)).toBe(false);
  for (const value of ["letmein", "12345678", "swordfish"]) expect(isPassword(value, true)).toBe(true);
  for (const value of ["required", "abcd", "undefined"]) expect(isPassword(value, true)).toBe(false);
});

it("names of several pronounceable words are recognized", () => {
  for (const name of ["ContentType", "listOfItems", "UserName"]) expect(isCamelCaseWords(name)).toBe(true);
  for (const name of ["Content", "QxZkPw", "a8Type"]) expect(isCamelCaseWords(name)).toBe(false);
});

it("placeholders and filler are recognized", () => {
  for (const value of ["your-key-here", "$TOKEN", "process.env.KEY", "xxxxxxxx", "AAAA", "<token>"])
    expect(isPlaceholder(value)).toBe(true);
  expect(isPlaceholder("q7Zk29LmXw4T")).toBe(false);
  expect(isPlaceholder("my-q7Zk29LmXw4Tb8Pq")).toBe(false);
  for (const value of ["1234567890", "0987654321", "key-1234-1234-1234", "AaAaAaAaAaAa", "abcdefghijklmnopq"])
    expect(isFiller(value)).toBe(true);
  expect(isFiller("key-ab-123456")).toBe(true);
  for (const value of ["123", "q7Zk29LmXw4T", "1357902468", "key-ab-c123456"])
    expect(isFiller(value), value).toBe(false);
});

it.each([
  "Authorization: Bearer $TOKEN",
  "Authorization: Bearer <token>",
  "Bearer HTTP/1.1 is not a scheme",
  "Bearer authentication is required",
  "https://a.example/?key=name&code=42&session=guest",
  "postgres://user:password@db.example/app",
  "key: short1",
  'const key = "12345678901234567890"',
])("%s stays", (text) => {
  expect(redact(text)).toBe(text);
});

it("is told quickly for what is nearly a name", () => {
  for (const value of ["A".repeat(50), `aa${"A".repeat(50)}`, "aaa".repeat(20), "abc1X".repeat(12)])
    for (const end of ["-", "!", "0", "=="]) {
      expect(cpuTime(() => isIdentifier(value + end))).toBeLessThan(50);
      expect(cpuTime(() => isPassword(value + end, true))).toBeLessThan(50);
    }
});
