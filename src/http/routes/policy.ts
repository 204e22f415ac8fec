import { Failure } from "../../protocol/failure.ts";
import { type PolicyBook, policyChange, policyQuestion } from "../../protocol/policy-book.ts";
import { administrator } from "../administrator.ts";
import { aboutAct } from "../audited.ts";
import { readRequest } from "../body.ts";
import { type HttpContext, type Route, route } from "../context.ts";

/** What may run without asking: administrators read, test and change the rules. */
export function policyRoutes(): Route[] {
  return [
    route("GET /admin/policy", async (c) => {
      await administrator(c);
      return c.json(bookOf(c).read());
    }),
    route("PUT /admin/policy", async (c) => {
      const change = await readRequest(c, policyChange);
      await administrator(c);
      const page = await bookOf(c).change(change);
      aboutAct(c, { subject: { hash: page.revision, rules: page.rules.length } });
      return c.json(page);
    }),
    route("POST /admin/policy/test", async (c) => {
      const question = await readRequest(c, policyQuestion);
      return c.json(bookOf(c).test(await administrator(c), question));
    }),
  ];
}

function bookOf(c: HttpContext): PolicyBook {
  const { policy } = c.get("server").deps;
  if (policy) return policy;
  throw new Failure("NOT_FOUND", "This server has no policy to show.");
}
