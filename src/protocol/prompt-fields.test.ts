import { expect, it } from "vitest";
import { fieldsOf, fillFields } from "./prompt-fields.ts";

it("finds each field once, in order", () => {
  expect(fieldsOf("Write to {{name}} about {{ topic }}. Greet {{name}}.")).toEqual(["name", "topic"]);
  expect(fieldsOf("{name} {{}} {{a\nb}}")).toEqual([]);
});

it("fills in what is given and leaves the rest", () => {
  expect(fillFields("{{a}} and {{ b }} and {{c}}", { a: "$1", b: "{{c}}" })).toBe("$1 and {{c}} and {{c}}");
});
