import { expect, it } from "vitest";
import { isFiller, isPlaceholder } from "./placeholder.ts";
import { isCamelCaseWords, isCertain, isIdentifier, isPassword, isRandom } from "./random.ts";

const WORDS_60 = `${"content-security-policy-".repeat(2)}reporting-10`;

it.each([
  "1.22-a8f3c1d9e2b7k4m1q7z",
  "a8f3c1d9e2.41",
  "xhttp://a8f3c1d9e2",
  "xkqz+vbnm=wrtp~sdfg",
  "a8f3c1d9e2",
  "48+39=57~216",
  `${WORDS_60}1`,
  "4sales-results",
  "ab-cd-12-34-ef",
  "Q7zk29lm.internal",
  "mail.q7zk29lm.io9x7k",
  "aq7zk29lmq7zk29lmq7zk29lmb.io",
  "xkqz-vbnm-wrtp-12",
  "xkqzavbnemwrtipsd",
  "QaXePiMoNuVcRtYs",
  "SomethingXkqzvWhatever",
  "somethingBigger/xkqzv/whatever",
  "securityAbCdEfGolicyname",
  "securityABCDolicyname",
])("%s is random", (value) => {
  expect(isRandom(value)).toBe(true);
});

it.each([
  "q7Zk29Lm...",
  "q7Zk29Lm.",
  "10.20.30.40:8080,12",
  "123.456789012345678",
  "183746529018374:20",
  "1.22-a8f3c1d9e2b7k4m1q7",
  "12.345-a8f3c1d9",
  "v12.345-a8f3c1d9",
  "http://example.com/a8f3c1d9e2",
  "xkqzvbnmwrtpsdf",
  "thequickbrownfoxjumps",
  "THEQUICKBROWNFOXJUMPS",
  "the/quick/brown/fox/jumps",
  "the/quickbrownfoxjumps",
  "xkqz+vbnm=wrtp~",
  "aabb+aabb+aabb+aabb",
  "11122233a1",
  "48+39=57~21",
  "a1a1b2b2a1a1",
  WORDS_60,
  "sales-v12345678-x",
  "sales--results-12",
  "abc-12-34-56",
  "mail.q7zk29lm.internal:8080",
  "mail.q7zk29lm.de",
  "sales-x509cert-12",
  "abcdefghi7q9x",
  "SomethingXkqzWhateverr",
  "ContentHttpsUrlPathValue",
  "securityAbCdEfolicyname",
  "securityABColicyname",
])("%s is not random", (value) => {
  expect(isRandom(value)).toBe(false);
});

it.each([
  ["Tr0ub4dor3x!!", true, false],
  ["Tr0ub4dor3x!", true, false],
  ["Tr0ub4do", true, false],
])("%s is certainly a secret", (value, password, certainName) => {
  expect(isCertain(value, password, certainName)).toBe(true);
});

it.each([
  ["&q7Zk29LmXw4Tb8", false, true],
  ["q7Zk29LmXw4Tb8&x", false, true],
  ["xkqzvbnmwrtpsd1", false, true],
  ["1xkqzvbnmwrtpsd", false, true],
  ["SalesResults-1.2", false, true],
  ["12345678901234", false, true],
  ["q7Zk29LmXw4T:bPq81sVe", false, false],
  [".q7Zk29LmXw4TbPq81sVe", false, false],
  ["q7Zk29LmXw4TbPq81sVe.x", false, false],
  ["18374652901837465290", true, false],
  ["Q7ZK29LMXW4TBPQ81SVE", false, false],
  ["aaaaaAAAAA1111122222", false, false],
])("%s may be something else", (value, password, certainName) => {
  expect(isCertain(value, password, certainName)).toBe(false);
});

it.each(["userIdAt", "user12IdAt7", "eIdAt", "!config.apiKey", "HTTPServer", "$ctx.user_name1"])(
  "%s is an identifier",
  (value) => {
    expect(isIdentifier(value)).toBe(true);
  },
);

it.each(["Token", "ab!cd.ef", "userId!At"])("%s is not an identifier", (value) => {
  expect(isIdentifier(value)).toBe(false);
});

it("words in camel case have nothing else between them", () => {
  expect(isCamelCaseWords("ContentType")).toBe(true);
  expect(isCamelCaseWords("ContentType9")).toBe(false);
  expect(isCamelCaseWords("9contentType")).toBe(false);
});

it.each([
  ["9getToken", false],
  ["userX", true],
  ["!isset7", false],
  ["sword@fish", false],
  ["12:30pm!x", false],
  ["12:30", true],
  ["swordfish", true],
])("%s can be a password", (value, assigned) => {
  expect(isPassword(value, assigned)).toBe(true);
});

it.each([
  ["a1b!!", true],
  ["a1b", true],
  ["getToken", true],
  ["userID", true],
  ["!isset", true],
  ["12:30", false],
  ["swordfish", false],
  ["a swordfish", true],
  ["swordfish a", true],
])("%s cannot be a password", (value, assigned) => {
  expect(isPassword(value, assigned)).toBe(false);
});

it.each(["my-key-a8f3c1d9e2b", "my-key-xkqzvbnmwrtp", "my-key-a1a1a1a1a1a1", "my-key-a8f3c1d9e2b7###"])(
  "%s stands for a secret",
  (value) => {
    expect(isPlaceholder(value)).toBe(true);
  },
);

it.each(["my-key-a8f3c1d9e2b7", "my-key-a8f3c1d9e2b7#1", "my-key-a8f3c1d9e2b7.x", "my-key-a8f3c1d9e2b7*x"])(
  "%s is a secret behind words",
  (value) => {
    expect(isPlaceholder(value)).toBe(false);
  },
);

it("filler is long, and its digits follow each other", () => {
  expect(isFiller("1234567890")).toBe(true);
  expect(isFiller("9876543210")).toBe(true);
  expect(isFiller("123456")).toBe(false);
  expect(isFiller("1357913579")).toBe(false);
});
