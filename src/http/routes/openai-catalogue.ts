import type { ToolListing } from "../../protocol/chat.ts";
import { chatOf } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";
import { speaksAnthropic } from "../dialects/anthropic/errors.ts";
import { anthropicPage, asAnthropicModel } from "../dialects/anthropic/models.ts";
import { modelNotFound } from "../dialects/openai/errors.ts";
import { asOpenAiModel, modelList } from "../dialects/openai/models.ts";

/** Models and tools in OpenAI's format. Anthropic's clients get models in theirs. */
export function openAiCatalogueRoutes(): Route[] {
  return [
    route("GET /v1/models", async (c) => {
      const models = await (await chatOf(c)).models();
      if (speaksAnthropic(c)) return c.json(anthropicPage(models, c.req.query(), stages(c)));
      return c.json(modelList(models));
    }),
    route("GET /v1/models/:id{.+}", async (c) => {
      const wanted = pathParameter(c, "id");
      const models = await (await chatOf(c)).models();
      const model =
        models.find(({ id }) => id === wanted) ??
        models.find(({ id }) => id.slice(id.indexOf("/") + 1) === wanted);
      if (!model) throw modelNotFound(wanted);
      return c.json(speaksAnthropic(c) ? asAnthropicModel(model) : asOpenAiModel(model));
    }),
    route("GET /v1/tools", async (c) => {
      const tools = await (await chatOf(c)).tools();
      const names = tools.map(({ name }) => name);
      return c.json({ object: "list", data: tools.map(asOpenAiTool), available_tools: names });
    }),
  ];
}

/** The stages of life that a client of Anthropic's wants to see. */
function stages(c: HttpContext): string[] {
  return ["lifecycle", "lifecycle[]"].flatMap((name) => c.req.queries(name) ?? []);
}

/** A tool in OpenAI's format, with our own fields. */
function asOpenAiTool({ name, description, parameters, effect, source }: ToolListing): object {
  return { type: "function", function: { name, description, parameters }, effect, source };
}
