import type { ModelListing } from "../../protocol/chat.ts";
import { Failure } from "../../protocol/failure.ts";
import { isObject } from "../../protocol/json.ts";
import { readOptionalJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import type { Door, HttpContext, Route } from "../context.ts";
import { whenGone } from "../sse.ts";

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
  const principal = await authenticate(c, door);
  const outgoing = c.env?.outgoing;
  const signal = outgoing ? AbortSignal.any([whenGone(outgoing), door.closing]) : door.closing;
  return c.json(await door.deps.callTool(principal, c.req.param("name") ?? "", args, signal));
}

/** A model as OpenAI lists it, with our own facts beside. */
function asOpenAiModel(model: ModelListing): Record<string, unknown> {
  const [provider = ""] = model.id.split("/");
  return { ...model, object: "model", created: 0, owned_by: provider };
}
