import { z } from "zod";
import { readRequest } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, type Route, route } from "../context.ts";

const text = z.string().max(200_000);
export const scanRequest = z
  .strictObject({ text: text.optional(), texts: z.array(text).max(100).optional() })
  .refine((body) => (body.text === undefined) !== (body.texts === undefined), {
    message: "give exactly one of text and texts",
    path: ["text"],
  });

/** Scans texts with the first layer. The result is a signal, not a decision. */
export function guardRoutes(): Route[] {
  return [route("POST /guard/scan", postScan)];
}

async function postScan(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const body = await readRequest(c, scanRequest);
  await authenticate(c);
  if (body.texts === undefined) return c.json(await server.deps.scan(body.text ?? ""));
  const findings: unknown[] = [];
  for (const one of body.texts) findings.push(await server.deps.scan(one));
  return c.json(findings);
}
