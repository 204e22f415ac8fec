import { expect, test } from "vitest";
import { z } from "zod";
import { inPlainWords } from "./plain-issues.ts";

test.each<[string, z.ZodType, unknown]>([
  ["is missing", z.string(), undefined],
  ["must be a string", z.string(), 7],
  ["must be a whole number", z.int(), 1.5],
  ["must be a list", z.array(z.string()), "a"],
  ["must be an object", z.object({}), "a"],
  ['must be "a"', z.literal("a"), "b"],
  ['must be one of "a", "b"', z.enum(["a", "b"]), "c"],
  ["must not be empty", z.string().min(1), ""],
  ["must not be empty", z.array(z.string()).min(1), []],
  ["must have at least 8 characters", z.string().min(8), "short"],
  ["must have at most 1,000 characters", z.string().max(1_000), "a".repeat(1_001)],
  ["must have at most 1 item", z.array(z.string()).max(1), ["a", "b"]],
  ["must have exactly 2 characters", z.string().length(2), "a"],
  ["must be at least 1", z.number().min(1), 0],
  ["must be less than 5", z.number().lt(5), 5],
  ["must be a multiple of 5", z.number().multipleOf(5), 7],
  ["must be an email address", z.email(), "ada"],
  ["is not in the expected form", z.string().regex(/^a+$/), "b"],
  ["is not in any of the expected forms", z.union([z.string(), z.number()]), true],
  ["is not valid", z.string().refine(() => false), "a"],
  ["has words of its own", z.string().min(1, "has words of its own"), ""],
])("a value that is refused %s", (sentence, schema, value) => {
  expect(schema.safeParse(value, { error: inPlainWords }).error?.issues[0]?.message).toBe(sentence);
});
