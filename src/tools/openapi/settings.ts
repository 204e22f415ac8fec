import { dirname, resolve } from "node:path";
import { z } from "zod";
import { parseJson } from "../../protocol/json.ts";

const entry = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z][\w-]{0,39}$/, "must begin with a letter and have at most 40 letters, digits, - and _"),
  /** A file, or an address of http or https. */
  openapi: z.string().min(1),
  /** Overrides the servers in the document. */
  baseUrl: z
    .string()
    .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), "must be an http or https address")
    .optional(),
  auth: z
    .strictObject({
      /** Default: what the document says. */
      type: z.enum(["bearer", "header", "query", "basic"]).optional(),
      /** The variable that holds the key; for `basic`, `user:password`. */
      env: z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of a variable"),
      /** Of the header or the query parameter. */
      name: z
        .string()
        .regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/)
        .optional(),
    })
    .optional(),
  /** Operations to offer. Default: all. */
  include: z.array(z.string()).optional(),
  effects: z.record(z.string(), z.enum(["none", "read", "write", "network"])).default({}),
});

export type ApiEntry = z.output<typeof entry>;

export interface ApiSettings {
  entries: ApiEntry[];
  /** One line for each problem. The rest of the file is used. */
  problems: string[];
}

/** Reads the text of a `tools.json`: a list of entries, by itself or as `tools`. Never throws. */
export function readApiSettings(text: string, file: string): ApiSettings {
  const parsed = parseJson(text);
  // The text may hold secrets, so the error is not shown.
  if (parsed === undefined)
    return { entries: [], problems: ["The file of OpenAPI tools is not JSON, so none is offered."] };
  const list = z
    .union([z.array(z.unknown()), z.object({ tools: z.array(z.unknown()).default([]) })])
    .safeParse(parsed);
  if (!list.success)
    return {
      entries: [],
      problems: ["The file of OpenAPI tools must hold a list of entries, so none is offered."],
    };
  const entries: ApiEntry[] = [];
  const problems: string[] = [];
  for (const [index, one] of (Array.isArray(list.data) ? list.data : list.data.tools).entries()) {
    const read = entry.safeParse(one);
    const [issue] = read.error?.issues ?? [];
    if (!read.success)
      problems.push(
        `OpenAPI entry ${index + 1} is passed over: ${issue?.path.join(".") || "it"}: ${issue?.message}.`,
      );
    else if (entries.some(({ name }) => name === read.data.name))
      problems.push(
        `OpenAPI entry ${index + 1} is passed over: another is called ${read.data.name} already.`,
      );
    else entries.push({ ...read.data, openapi: placeOf(read.data.openapi, file) });
  }
  return { entries, problems };
}

function placeOf(openapi: string, file: string): string {
  return /^https?:\/\//i.test(openapi) ? openapi : resolve(dirname(file), openapi);
}
