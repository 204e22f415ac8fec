import { z } from "zod";
import { parseRequest } from "../../protocol/requests.ts";
import { readJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import type { HttpContext, Route, ServerState } from "../context.ts";

const text = z.string().max(200_000);
export const scanRequest = z
  .strictObject({ text: text.optional(), texts: z.array(text).max(100).optional() })
  .refine((body) => (body.text === undefined) !== (body.texts === undefined), {
    message: "give exactly one of text and texts",
    path: ["text"],
  });

/** What the first layer thinks of a text: a signal, not a verdict. */
export function guardRoutes(server: ServerState): Route[] {
  return [{ method: "POST", path: "/guard/scan", handle: (c) => postScan(c, server) }];
}

async function postScan(c: HttpContext, server: ServerState): Promise<Response> {
  const body = parseRequest(scanRequest, await readJson(c.req.raw, c.env?.incoming));
  await authenticate(c, server);
  const scan = (one: string) => server.deps.scan(one);
  return c.json(body.texts ? body.texts.map(scan) : scan(body.text ?? ""));
}
