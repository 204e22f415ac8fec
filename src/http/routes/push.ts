import { Failure } from "../../protocol/failure.ts";
import { type Push, pushRemoval, pushRequest } from "../../protocol/notices.ts";
import { readOptionalRequest, readRequest } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, type Route, route } from "../context.ts";

/** The browsers that are told what waits, ends or fails. */
export function pushRoutes(): Route[] {
  return [
    route("GET /me/push", async (c) => {
      const { id } = await authenticate(c);
      const { publicKey, list } = pushOf(c);
      return c.json({ publicKey, subscriptions: await list(id) });
    }),
    route("POST /me/push", async (c) => {
      const request = await readRequest(c, pushRequest);
      const { id } = await authenticate(c);
      return c.json(await pushOf(c).subscribe(id, request), 201);
    }),
    route("DELETE /me/push", async (c) => {
      const { endpoint } = await readOptionalRequest(c, pushRemoval);
      const { id } = await authenticate(c);
      await pushOf(c).unsubscribe(id, endpoint);
      return c.body(null, 204);
    }),
  ];
}

function pushOf(c: HttpContext): Push {
  const { push } = c.get("server").deps;
  if (push) return push;
  throw new Failure("NOT_FOUND", "This server sends no notifications.");
}
