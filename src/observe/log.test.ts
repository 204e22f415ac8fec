import { expect, it } from "vitest";
import { redact, redactDeep } from "../guard/redact/redact.ts";
import { createLog } from "./log.ts";

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = "";
  write(
    createLog(
      "info",
      { text: redact, deep: redactDeep },
      {
        write: (line) => {
          text += line;
        },
      },
    ),
  );
  return text;
}

const key = ["sk", "proj", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"].join("-");

it("keeps secrets out of the log, wherever they are", () => {
  const text = logged((log) => {
    log.warn(
      { err: new Error(`refused for ${key}`, { cause: new Error("mail to ada@example.org") }) },
      `used ${key}`,
    );
    log.error(
      { headers: { authorization: "Bearer abcdefghijklmnop" }, nested: [{ apiKey: "12345678" }] },
      "request",
    );
    log.info(`${key} alone`);
  });
  expect(text.trim().split("\n")).toHaveLength(3);
  expect(text).not.toContain(key);
  expect(text).not.toMatch(/ada@example\.org|abcdefghijklmnop|12345678/);
  expect(text).toContain("refused for");
});

it("never logs a stack trace", () => {
  expect(logged((log) => log.error({ err: new Error("broken") }, "it broke"))).not.toMatch(/log\.test|\bat /);
});
