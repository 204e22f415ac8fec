import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deriveKey, readSecret } from "./secret.ts";
import { createVault } from "./vault.ts";

const vault = createVault(randomBytes(32));
const place = { userId: "ada", name: "key:openai" };

test("a sealed value can be opened, but only in its own place", () => {
  const sealed = vault.seal("sk-secret-ü", place);
  expect(vault.open(sealed, place)).toBe("sk-secret-ü");
  expect(vault.open(sealed, { ...place, userId: "bob" })).toBeUndefined();
  expect(vault.open(sealed, { ...place, name: "key:zai" })).toBeUndefined();
  expect(vault.open(sealed, { userId: 'ada","key', name: "openai" })).toBeUndefined();
});

test("the same text never seals to the same bytes, and none of it is visible", () => {
  const sealed = new Set(Array.from({ length: 100 }, () => vault.seal("sk-secret", place)));
  expect(sealed.size).toBe(100);
  for (const one of sealed)
    expect(Buffer.from(one.slice(3), "base64url").toString("latin1")).not.toContain("secret");
});

test("a value that was changed, cut or sealed with another key cannot be opened", () => {
  const sealed = vault.seal("sk-secret", place);
  const bytes = Buffer.from(sealed.slice(3), "base64url");
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(vault.open(`v1.${changed.toString("base64url")}`, place)).toBeUndefined();
  }
  for (const cut of ["", "v1.", sealed.slice(0, -4), sealed.slice(3), "v2.abc"])
    expect(vault.open(cut, place)).toBeUndefined();
  expect(createVault(randomBytes(32)).open(sealed, place)).toBeUndefined();
});

test("the server's secret is created once, readable only by its owner, unless it is a setting", () => {
  const folder = mkdtempSync(join(tmpdir(), "tackle-secret-"));
  try {
    const secret = readSecret(folder, undefined);
    expect(secret.length).toBeGreaterThanOrEqual(43);
    expect(readSecret(folder, undefined)).toBe(secret);
    expect(readFileSync(join(folder, "secret.key"), "utf8")).toBe(secret);
    expect(statSync(join(folder, "secret.key")).mode & 0o777).toBe(0o600);
    expect(readSecret(folder, "a setting")).toBe("a setting");
    expect(deriveKey(secret, "one")).not.toEqual(deriveKey(secret, "two"));
    expect(deriveKey(secret, "one")).toEqual(deriveKey(secret, "one"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
