import { z } from "zod";
import { parseRequest } from "../../protocol/requests.ts";
import { readJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import type { Door, HttpContext, Route } from "../context.ts";

const text = z.string().max(200_000);
export const scanRequest = z
  .strictObject({ text: text.optional(), texts: z.array(text).max(100).optional() })
  .refine((body) => (body.text === undefined) !== (body.texts === undefined), {
    message: "give exactly one of text and texts",
    path: ["text"],
  });

/** What the first layer thinks of a text: a signal, not a verdict. */
export function guardRoutes(door: Door): Route[] {
  return [{ method: "POST", path: "/guard/scan", handle: (c) => postScan(c, door) }];
}

async function postScan(c: HttpContext, door: Door): Promise<Response> {
  const body = parseRequest(scanRequest, await readJson(c.req.raw, c.env?.incoming));
  await authenticate(c, door);
  const scan = (one: string) => door.deps.scan(one);
  return c.json(body.texts ? body.texts.map(scan) : scan(body.text ?? ""));
}
