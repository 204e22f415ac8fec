import { z } from "zod";
import { Failure } from "../../../protocol/failure.ts";
import { chatRequest } from "../../../protocol/requests.ts";
import type { TurnRequest } from "../../../protocol/turns.ts";

const { model, toolChoice, modeHint, reasoningEffort, verbosity, attachments } = chatRequest.shape;

/** Options that `POST /chat` also has, under the same names. */
export const turnOptions = { model, toolChoice, modeHint, reasoningEffort, verbosity, attachments };

/** A tool that the client itself runs. */
export const clientTool = z.looseObject({
  name: z.string().regex(/^[a-zA-Z0-9_.-]{1,64}$/, "must be a tool's name"),
  description: z.string().default(""),
  parameters: z.record(z.string(), z.unknown()).nullish(),
});

type Offered = string | z.output<typeof clientTool>;

/** Splits offered tools into names of the server's tools and the client's own. Without names, all server tools are offered. */
export function toolSpecsOf(offered: readonly Offered[] = []): Pick<TurnRequest, "tools" | "clientTools"> {
  const names = offered.filter((tool) => typeof tool === "string");
  const clientTools = offered.flatMap((tool) => {
    if (typeof tool === "string") return [];
    const { name, description, parameters } = tool;
    return [{ name, description, parameters: parameters ?? { type: "object", properties: {} } }];
  });
  const doubled = clientTools.find(
    (spec, index) => clientTools.findIndex(({ name }) => name === spec.name) !== index,
  );
  if (doubled) throw new Failure("INVALID_INPUT", `Two tools have the name "${doubled.name}".`);
  return { tools: names.length > 0 ? names : undefined, clientTools };
}
