import { isObject } from "../../protocol/json.ts";
import type { Door, HttpContext, Route } from "../context.ts";
import { callToolFor, deprecated } from "../tool-call.ts";

/** The old endpoint that makes one image: the tool's own code behind an address of before. */
export function legacyImageRoutes(door: Door): Route[] {
  return [{ method: "POST", path: "/generate-image", handle: (c) => postImage(c, door) }];
}

async function postImage(c: HttpContext, door: Door): Promise<Response> {
  Object.assign(c.var.headers, deprecated("/tools/generate_image"));
  const { data, ...answer } = await callToolFor(c, door, "generate_image");
  // What was asked for stood at the top there.
  return c.json({ ...answer, ...(isObject(data) ? data : {}) });
}
