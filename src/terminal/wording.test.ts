import { expect, test } from "vitest";
import { describeFailure } from "./wording.ts";

test("a failure says once when to try again", () => {
  const paused = "gpt-4o of OpenAI keeps failing, so it is paused. Try again in 19 seconds.";
  expect(describeFailure({ message: paused, retryable: true, retryAfter: 19 })).toBe(paused);
  expect(describeFailure({ message: "Too many.", retryable: true, retryAfter: 19 })).toBe(
    "Too many. Try again in 19.0 s.",
  );
});
