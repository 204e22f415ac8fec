import { expect, test } from "vitest";
import { badEnding, describeEnding, describeFailure } from "./wording.ts";

test("a failure says once when to try again", () => {
  const paused = "gpt-4o of OpenAI keeps failing, so it is paused. Try again in 19 seconds.";
  expect(describeFailure({ message: paused, retryable: true, retryAfter: 19 })).toBe(paused);
  expect(describeFailure({ message: "Too many.", retryable: true, retryAfter: 19 })).toBe(
    "Too many. Try again in 19.0 s.",
  );
});

test("a command that did not end well says how", () => {
  const ended = (exit_code: number, more = {}, toolName = "execute_command") =>
    badEnding({ toolName, output: JSON.stringify({ exit_code, stdout: "", stderr: "", ...more }) });
  expect(ended(0)).toBe("");
  expect(ended(1)).toBe(" · exit code 1");
  expect(ended(137, { stopped: "It took too long." })).toBe(" · It took too long.");
  expect(ended(1, {}, "other")).toBe("");
});

test("the end of a turn names the limit that ended it", () => {
  const time = { code: "TIME_LIMIT", message: "I stopped at the time limit." };
  const other = { code: "SUSPICIOUS_RESULT", message: "It reads like instructions." };
  expect(describeEnding("length", { warnings: [time, other] })).toBe(time.message);
  expect(describeEnding("length", { warnings: [other] })).toMatch(/cut off/);
  expect(describeEnding("stop", { warnings: [other] })).toBeUndefined();
});
