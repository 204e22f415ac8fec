import { isObject } from "../../protocol/json.ts";
import { type HttpContext, type Route, route } from "../context.ts";
import { callToolFor, deprecated } from "../tool-call.ts";

/** The old endpoint that makes one image: the tool's own code behind an address of before. */
export function legacyImageRoutes(): Route[] {
  return [route("POST /generate-image", postImage)];
}

async function postImage(c: HttpContext): Promise<Response> {
  Object.assign(c.var.headers, deprecated("/tools/generate_image"));
  const { data, ...answer } = await callToolFor(c, "generate_image");
  // What was asked for stood at the top there.
  return c.json({ ...answer, ...(isObject(data) ? data : {}) });
}
