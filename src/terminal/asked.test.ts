import { expect, it } from "vitest";
import { answerFrom, questionHint } from "./asked.ts";

const asked = {
  type: "question_required" as const,
  toolCallId: "call_1",
  question: "Which?",
  options: ["red", "blue"],
  expiresAt: "2026-01-01T00:00:00Z",
};

it("reads a number as the option, and anything else as the person's own words", () => {
  expect(answerFrom(asked, "2")).toBe("blue");
  expect(answerFrom(asked, " blue ")).toBe("blue");
  expect(answerFrom(asked, "3")).toBe("3");
  expect(answerFrom(asked, "1 2")).toBe("1 2");
  expect(answerFrom(asked, "2 of them")).toBe("2 of them");
});

it("reads several numbers where several options may be chosen", () => {
  expect(answerFrom({ ...asked, multiple: true }, "1, 2")).toEqual(["red", "blue"]);
  expect(answerFrom({ ...asked, multiple: true }, "both")).toEqual(["both"]);
});

it("says how to answer, and what happens without an answer", () => {
  expect(questionHint(asked)).toBe("A number or your own answer, then Enter.");
  expect(questionHint({ ...asked, options: undefined, default: "red" })).toBe(
    "Your answer, then Enter. Without one: red",
  );
});
