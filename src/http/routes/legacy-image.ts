import { isObject } from "../../protocol/json.ts";
import { type HttpContext, type Route, route } from "../context.ts";
import { callToolFor, deprecated } from "../tool-call.ts";

/** The deprecated endpoint for images. */
export function legacyImageRoutes(): Route[] {
  return [route("POST /generate-image", postImage)];
}

async function postImage(c: HttpContext): Promise<Response> {
  Object.assign(c.var.headers, deprecated("/tools/generate_image"));
  const { data, ...answer } = await callToolFor(c, "generate_image");
  // It returned the image at the top level.
  return c.json({ ...answer, ...(isObject(data) ? data : {}) });
}
