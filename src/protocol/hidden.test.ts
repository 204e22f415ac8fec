import { expect, it } from "vitest";
import { withoutSecrets } from "./hidden.ts";

it("a secret that an upstream repeats is removed, but one that is too short is never searched for", () => {
  expect(withoutSecrets("key test-key is wrong", ["test-key"])).toBe("key [key] is wrong");
  expect(withoutSecrets("maximum context length is abc1234", ["x", "abc1234"])).toBe(
    "maximum context length is abc1234",
  );
});
