import type { ModelListing } from "../../protocol/chat.ts";
import { authenticate } from "../caller.ts";
import type { Door, HttpContext, Route } from "../context.ts";
import { callToolFor } from "../tool-call.ts";

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
    {
      method: "POST",
      path: "/tools/:name",
      handle: async (c) => c.json(await callToolFor(c, door, c.req.param("name") ?? "")),
    },
  ];
}

/** A model as OpenAI lists it, with our own facts beside. */
function asOpenAiModel(model: ModelListing): Record<string, unknown> {
  const [provider = ""] = model.id.split("/");
  return { ...model, object: "model", created: 0, owned_by: provider };
}
