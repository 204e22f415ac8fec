import { z } from "zod";
import { isObject, type JsonSchema } from "./json.ts";

type Readable = Parameters<typeof z.fromJSONSchema>[0];

/** Makes a reader of a JSON Schema, also of one with conditions (`if`, `then`, `else`) at its top. */
export function readerOfSchema(schema: JsonSchema): z.ZodType {
  const { if: condition, then, else: otherwise, ...rest } = schema;
  const reader = z.fromJSONSchema(rest as Readable);
  if (!isObject(condition)) return reader;
  return reader.superRefine((value, context) => {
    const branch = holds(condition, value) ? then : otherwise;
    if (!isObject(branch) || holds(branch, value)) return;
    const needed = Array.isArray(branch.required) ? `: ${branch.required.join(", ")}` : "";
    context.addIssue({
      code: "custom",
      message: `what the other parameters require is missing or wrong${needed}`,
    });
  });
}

/** Whether an object has what one part of a condition requires. */
function holds({ required, properties }: JsonSchema, value: unknown): boolean {
  if (!isObject(value)) return true;
  if (Array.isArray(required) && !required.every((name) => String(name) in value)) return false;
  return Object.entries(isObject(properties) ? properties : {}).every(
    ([name, schema]) =>
      !(name in value) || z.fromJSONSchema(schema as Readable).safeParse(value[name]).success,
  );
}
