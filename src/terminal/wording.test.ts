import { expect, test } from "vitest";
import { badEnding, describeFailure } from "./wording.ts";

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
