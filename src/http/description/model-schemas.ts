import { z } from "zod";
import { keyCheckRequest } from "../../protocol/accounts.ts";
import { modelOffer } from "../../protocol/model-offers.ts";
import { newModelServer } from "../../protocol/model-servers.ts";
import { newPrompt, promptChange } from "../../protocol/prompts.ts";

const listedModel = z.object({
  id: z.string(),
  label: z.string(),
  vendor: z.string().optional().meta({ description: "The name of the vendor." }),
  default: z.boolean(),
  contextWindow: z.number().optional(),
  supportsTools: z.boolean(),
  supportsImages: z.boolean(),
  supportsReasoning: z.boolean().optional(),
  price: z
    .object({ input: z.number(), output: z.number() })
    .optional()
    .meta({ description: "Dollars per million tokens." }),
  key: z
    .enum(["own", "server"])
    .optional()
    .meta({ description: "Whose key it is asked with. Missing if it needs none." }),
  local: z.boolean().optional().meta({ description: "True if it runs on the computer of the server." }),
  deprecated: z.boolean().optional().meta({ description: "True if the vendor will shut it down." }),
  shutdownDate: z.string().optional().meta({
    description: "The day on which it will be shut down, such as `2026-12-11`, if announced.",
  }),
  successor: z.string().optional().meta({ description: "The model to use instead." }),
});

const prompt = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  text: z.string(),
  fields: z.array(z.string()).meta({ description: "The names of its fields, in the order of the text." }),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

/** Saved prompts; models, and the vendors that they come from. */
const modelServer = z.object({
  name: z.string().meta({ description: "The first part of the ids of its models." }),
  url: z.string(),
  hasKey: z.boolean(),
  models: z.number().meta({ description: "How many models it lists." }),
});

export const MODEL_SCHEMAS = {
  ModelOffer: modelOffer,
  HasModels: modelOffer.extend({ id: z.string().optional(), role: z.string().optional() }),
  ModelOffers: z.object({
    roles: z.object({ guest: modelOffer, account: modelOffer, admin: modelOffer }),
    models: z.array(z.object({ id: z.string(), label: z.string(), vendor: z.string().optional() })),
  }),
  Prompt: prompt,
  Prompts: z.object({ prompts: z.array(prompt) }),
  NewPrompt: newPrompt,
  PromptChange: promptChange,
  Models: z.object({ models: z.array(listedModel) }),
  Vendors: z.object({
    vendors: z.array(
      z.object({
        id: z.string(),
        label: z.string(),
        kind: z.enum(["models", "search"]),
        key: z.enum(["own", "server"]).optional().meta({ description: "Whose key is used." }),
        lastFour: z.string().optional(),
        local: z.boolean().optional(),
        keyPage: z.string().optional().meta({ description: "Where people make a key." }),
        added: z.boolean().optional().meta({ description: "An administrator added it, and can remove it." }),
        models: z.number().meta({ description: "How many are on offer." }),
        offers: z.array(listedModel).optional().meta({ description: "The models that a key would add." }),
      }),
    ),
  }),
  ModelServer: modelServer,
  ModelServers: z.object({ servers: z.array(modelServer) }),
  NewModelServer: newModelServer,
  KeyToCheck: keyCheckRequest,
  KeyCheck: z.object({ result: z.enum(["works", "exhausted", "refused", "unreachable", "busy", "unknown"]) }),
};
