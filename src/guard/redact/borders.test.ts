import { describe, expect, it } from "vitest";
import { redact } from "./redact.ts";
import { madeUp } from "./testing/made-up.ts";

const { hex, mixed, safe, base64, digits, capitals, uuid } = madeUp(31);

describe("text that only resembles a harmless kind is removed", () => {
  it.each([
    ["a key in words joined by plus signs", "q=please+use+my+key+", `EZAK${mixed(54)}`],
    ["a key behind another word in a path", "https://host.example/v1/files/", `LTAI${mixed(20)}`],
    ["a signature with a shared secret", "signature: ", hex(64)],
    ["the signature of a cookie", "CloudFront-Signature: ", safe(342)],
    ["a key beside the word key alone", "key: ", mixed(32)],
    ["an id that opens something", "access_key_id=", capitals(20)],
    ["digits that are not counted", "asana_client_id = ", `4${digits(14)}8`],
    ["a key that begins with counted digits", "token = ", `123456${mixed(20)}`],
    ["a key with some characters twice", "api_key: ", `aabb${hex(28)}`],
    [
      "a secret as a host would be spelled, in capitals too",
      "client_secret: ",
      `${mixed(12)}.${mixed(12)}.Io`,
    ],
    ["a password that begins like a variable", "password = ", "$yK@4.@=pqrW"],
    ["a password of counted digits", "password=", "1234567890"],
    ["a short password", "password: ", "kT9#mQ2z"],
    ["a whole key of a provider", "anthropic_token = ", `sk-ant-oat01-${safe(95)}`],
    ["a whole token behind its ids", "token: ", `xoxp-${digits(12)}-${digits(12)}-${digits(12)}-${hex(32)}`],
    ["a key of a deployment", "set apikey=", `API-${capitals(26)}`],
    ["a token in the place of a value", "{ key: 'API_TOKEN', value: '", mixed(32)],
    ["an api key before a value", "{ api_key: '", `${uuid()}', value: 'x`],
  ])("%s", (_, before, secret) => {
    const part = secret.split("'")[0] ?? secret;
    expect(redact(`${before}${secret}`)).not.toContain(part);
  });

  it("the shortest possible private key", () => {
    const body = base64(64);
    const pem = ["-----BEGIN PRIVATE", " KEY-----\n", body, "\n-----END PRIVATE KEY-----"].join("");
    expect(redact(pem)).toBe("[private key]");
  });

  it("a value to its end, however long it is", () => {
    const token = mixed(3_000);
    expect(redact(`{"refresh_token": "${token}", "scope": "all"}`)).toBe(
      '{"refresh_token": "[secret]", "scope": "all"}',
    );
    expect(redact(`refresh_token=${token}`)).toBe("refresh_token=[secret]");
  });
});
