import { z } from "zod";

/** A `Reason`, apart from `reasons.ts` so that the web app does not load the schemas. */
export const reasonSchema = z.object({
  code: z.string(),
  values: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});
