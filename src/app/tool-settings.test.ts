import { expect, test } from "vitest";
import { toolSettings } from "./tool-settings.ts";

const settings = {
  TAVILY_API_KEY: "of the operator",
  EXA_API_KEY: "also of the operator",
  SEARXNG_BASE_URL: "http://searx.local:8080",
  TACKLE_SECRET: "the secret of everything",
  TACKLE_JWT_SECRET: "another",
  DATABASE_URL: "postgres://user:pass@db/x",
};
const keysOf = async (userId: string): Promise<Record<string, string>> =>
  userId === "ada" ? { tavily: "of Ada" } : {};
const contextOf = (id: string) => toolSettings({ settings }, keysOf)({ id, kind: "account" });

test("a key is the caller's own if one is stored, otherwise the operator's", async () => {
  expect(await contextOf("ada").secret("TAVILY_API_KEY")).toBe("of Ada");
  expect(await contextOf("ada").secret("EXA_API_KEY")).toBe("also of the operator");
  expect(await contextOf("bob").secret("TAVILY_API_KEY")).toBe("of the operator");
  expect(await contextOf("bob").secret("NOBODYS_API_KEY")).toBeUndefined();
});

test("no other secret can be read, neither as a setting nor as a secret", async () => {
  const { setting, secret } = contextOf("ada");
  expect(setting("SEARXNG_BASE_URL")).toBe("http://searx.local:8080");
  for (const name of Object.keys(settings).filter((name) => name !== "SEARXNG_BASE_URL"))
    expect(setting(name), name).toBeUndefined();
  for (const name of ["TACKLE_SECRET", "TACKLE_JWT_SECRET", "DATABASE_URL", "__proto___API_KEY"])
    expect(await secret(name), name).toBeUndefined();
});
