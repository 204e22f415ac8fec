import { z } from "zod";
import { checkFormat, readStored } from "../protocol/stored.ts";

export const time = z.union([z.number(), z.date()]).transform((value) => new Date(value).toISOString());
export const flag = z.union([z.boolean(), z.literal(0), z.literal(1)]).transform(Boolean);
/** A flag that is omitted if it is not set. */
export const mark = flag.transform((set) => (set ? (true as const) : undefined));
export const text = z.string().optional();

/** Returns a schema of JSON text whose value has this schema. */
export function json<Value>(schema: z.ZodType<Value>) {
  return z
    .string()
    .transform((value, context): unknown => {
      try {
        return JSON.parse(value);
      } catch {
        context.addIssue("not JSON");
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/** Returns a function that reads rows of one table: columns in camel case, NULL left out. */
export function reader<Value extends object>(
  what: string,
  schema: z.ZodType<Value>,
  newestFormat = 1,
): (row: unknown) => Value {
  return (row) => {
    const columns: Record<string, unknown> = {};
    for (const [column, value] of Object.entries(row ?? {}))
      if (value !== null) columns[camelCase(column)] = value;
    const name = typeof columns.id === "string" ? `${what} ${columns.id}` : what;
    checkFormat(Number(columns.format ?? 1), newestFormat, name);
    const value = readStored(schema, columns, name);
    for (const key in value) if (value[key] === undefined) delete value[key];
    return value;
  };
}

const names = new Map<string, string>();

function camelCase(column: string): string {
  let name = names.get(column);
  if (name === undefined) {
    name = column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    names.set(column, name);
  }
  return name;
}
