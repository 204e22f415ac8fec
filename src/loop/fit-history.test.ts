import { expect, it } from "vitest";
import { textMessage } from "../protocol/messages.ts";
import { fitHistory } from "./fit-history.ts";

const turns = (count: number, size: number) =>
  Array.from({ length: count }, (_, index) =>
    textMessage(`m${index}`, index % 2 === 0 ? "user" : "assistant", "x".repeat(size)),
  );

it("sends everything that fits", () => {
  expect(fitHistory(turns(5, 10), 1_000)).toHaveLength(5);
});

it("leaves out the oldest where the model has no room, and begins with the person's words", () => {
  const kept = fitHistory(turns(21, 300), 1_000);
  expect(kept.length).toBeLessThan(10);
  expect(kept[0]?.role).toBe("user");
  expect(kept.at(-1)?.id).toBe("m20");
});

it("always sends the newest message, and what the system said", () => {
  const messages = [textMessage("s", "system", "Be kind."), ...turns(3, 10_000)];
  expect(fitHistory(messages, 1_000).map(({ id }) => id)).toEqual(["s", "m2"]);
});
