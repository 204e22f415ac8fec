import { z } from "zod";
import { appCall, appDomains, appResult } from "../../protocol/apps.ts";

const anything = z.record(z.string(), z.unknown());

/** What an app is shown with. */
export const app = z.object({
  server: z.string(),
  resourceUri: z.string(),
  pageUrl: z
    .string()
    .optional()
    .meta({ description: "Its page, for a sandboxed frame. Missing if it could not be read." }),
  border: z.boolean().optional(),
  domains: appDomains.meta({ description: "What its page may reach on the network." }),
  refusedDomains: z.array(z.string()).meta({ description: "What it asked for and does not get." }),
  tool: z.object({ name: z.string(), description: z.string().optional(), inputSchema: anything }),
  result: appResult.optional().meta({ description: "As the server sent it. Missing while the tool runs." }),
  calls: z.array(appCall).meta({ description: "The newest calls that it made." }),
});

/** What a call of an app comes to. */
export const appCallAnswer = z.union([
  z.object({ result: appResult }),
  z.object({
    approval: z.object({
      toolName: z.string(),
      arguments: z.unknown(),
      argumentsHash: z.string(),
      reason: z.string(),
      risk: z.enum(["low", "medium", "high"]),
      preview: z.string().optional(),
      always: anything.optional(),
    }),
  }),
]);

export const resourceContents = z.object({ contents: z.array(anything) });
