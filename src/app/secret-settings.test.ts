import { expect, it } from "vitest";
import { secretsIn } from "./secret-settings.ts";

it("secret settings are found by name, and passwords inside URLs too", () => {
  const settings = {
    OPENAI_API_KEY: "one",
    S3_SECRET_ACCESS_KEY: "two",
    TACKLE_JWT_SECRET: "three",
    DATABASE_URL: "postgres://app:fo%2Fur@db/app",
    OPENAI_BASE_URL: "https://gateway.example/v1",
    HOST: "127.0.0.1",
    TACKLE_DATA: undefined,
  };
  expect(secretsIn(settings)).toEqual(["one", "two", "three", "fo%2Fur", "fo/ur"]);
});
