import { Failure } from "../../protocol/failure.ts";
import { chatOf } from "../caller.ts";
import { type Route, route } from "../context.ts";
import { readLimit } from "./sessions.ts";

/** Searches in what belongs to the caller. */
export function searchRoutes(): Route[] {
  return [
    route("GET /search", async (c) => {
      const chat = await chatOf(c);
      const query = c.req.query("q");
      if (query === undefined) throw new Failure("INVALID_INPUT", "Say in q what to search for.");
      const limit = readLimit(c);
      return c.json({ query, ...(await chat.search(query, limit === undefined ? {} : { limit })) });
    }),
  ];
}
