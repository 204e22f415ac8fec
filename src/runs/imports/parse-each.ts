import type { z } from "zod";

/** Parses each value. Undefined at the first that does not fit, so that many wrong ones cost no more than one. */
export function parseEach<Parsed>(
  schema: z.ZodType<Parsed>,
  values: readonly unknown[],
): Parsed[] | undefined {
  const all: Parsed[] = [];
  for (const value of values) {
    const parsed = schema.safeParse(value);
    if (!parsed.success) return undefined;
    all.push(parsed.data);
  }
  return all;
}
