import type { ModelListing } from "../../protocol/chat.ts";
import { Failure, type FailureCode } from "../../protocol/failure.ts";
import { isObject } from "../../protocol/json.ts";
import { clientAddress } from "../address.ts";
import { readOptionalJson } from "../body.ts";
import { acceptCaller, authenticate, identify } from "../caller.ts";
import type { Door, HttpContext, Route } from "../context.ts";
import { limitHeaders } from "../errors.ts";
import { whenGone } from "../sse.ts";

/** Codes of calls that never started: they are not counted by address. */
const REFUSED: ReadonlySet<FailureCode> = new Set([
  "TOOL_UNKNOWN",
  "TOOL_INVALID_ARGUMENTS",
  "INJECTION_BLOCKED",
  "RATE_LIMITED",
  "API_THROTTLED",
  "BREAKER_OPEN",
]);

/** What is on offer, and tools called directly. */
export function catalogueRoutes(door: Door): Route[] {
  const chatOf = async (c: HttpContext) => door.deps.chatFor(await authenticate(c, door));
  return [
    {
      method: "GET",
      path: "/tools",
      handle: async (c) => c.json({ tools: await (await chatOf(c)).tools() }),
    },
    {
      method: "GET",
      path: "/models",
      handle: async (c) => c.json({ models: await (await chatOf(c)).models() }),
    },
    {
      method: "GET",
      path: "/v1/models",
      async handle(c) {
        const models = await (await chatOf(c)).models();
        return c.json({ object: "list", data: models.map(asOpenAiModel) });
      },
    },
    { method: "POST", path: "/tools/:name", handle: (c) => postTool(c, door) },
  ];
}

async function postTool(c: HttpContext, door: Door): Promise<Response> {
  const args = await readOptionalJson(c.req.raw, c.env?.incoming);
  if (!isObject(args))
    throw new Failure("INVALID_INPUT", "The body must be a JSON object: the tool's parameters.");
  const name = c.req.param("name") ?? "";
  const caller = await identify(c, door);
  const address = clientAddress(c.env?.incoming, door.deps.config.trustProxy === true);
  const client = { address, newGuest: caller.guestToken !== undefined };
  const giveBack = await door.deps.takeByAddress?.(name, client);
  const principal = acceptCaller(c, door, caller);
  const outgoing = c.env?.outgoing;
  const signal = outgoing ? AbortSignal.any([whenGone(outgoing), door.closing]) : door.closing;
  const called = door.deps.callTool(principal, name, args, signal).catch(async (thrown: unknown) => {
    if (thrown instanceof Failure && REFUSED.has(thrown.code)) await giveBack?.();
    throw thrown;
  });
  const { limit, ...answer } = await called;
  if (limit) Object.assign(c.var.headers, limitHeaders(limit));
  return c.json(answer);
}

/** A model as OpenAI lists it, with our own facts beside. */
function asOpenAiModel(model: ModelListing): Record<string, unknown> {
  const [provider = ""] = model.id.split("/");
  return { ...model, object: "model", created: 0, owned_by: provider };
}
