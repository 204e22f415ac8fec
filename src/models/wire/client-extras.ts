import type { Message } from "../../protocol/messages.ts";
import type { ModelRequest, ModelWarning } from "../../protocol/model.ts";
import { withoutNul } from "./body.ts";
import { leftOut } from "./tools.ts";

// Extras: what a client asks for that we do not know. The vendor may know it. If it refuses them, it is asked again without.

/** True if a request has extras, which only some vendors of its dialect take. */
export function hasExtras(request: ModelRequest, dialect: string): boolean {
  const { vendorFields, vendorTools, messages } = request;
  return (
    Object.keys(vendorFields?.[dialect] ?? {}).length > 0 ||
    (vendorTools?.[dialect] ?? []).length > 0 ||
    messages.some((message) => message.name !== undefined || hasClientReasoning(message)) ||
    withoutNul(messages) !== messages
  );
}

/** Returns the request without extras. */
export function withoutExtras(request: ModelRequest): ModelRequest {
  const { vendorFields: _fields, vendorTools: _tools, ...rest } = request;
  const messages = withoutNul(rest.messages).map(({ name: _name, ...message }) => ({
    ...message,
    parts: hasClientReasoning(message)
      ? message.parts.filter(({ type }) => type !== "reasoning")
      : message.parts,
  }));
  return { ...rest, messages };
}

function hasClientReasoning({ role, model, parts }: Message): boolean {
  return role === "assistant" && model === undefined && parts.some(({ type }) => type === "reasoning");
}

/** Returns the warnings about tools that no vendor of the dialect could run; with `refused`, about all that were sent. */
export function vendorToolWarnings(request: ModelRequest, dialect: string, refused: boolean): ModelWarning[] {
  return Object.entries(request.vendorTools ?? {}).flatMap(([taker, tools]) => {
    const reason = taker === dialect ? "its vendor refused it" : "its vendor does not have it";
    if (taker === dialect && !refused) return [];
    return tools.map(({ type }) => leftOut(`of type ${String(type).slice(0, 60)}`, reason));
  });
}

/** Returns the warning about fields that a vendor refused. */
export function refusedFieldWarnings(request: ModelRequest, dialect: string): ModelWarning[] {
  const names = Object.keys(request.vendorFields?.[dialect] ?? {});
  if (names.length === 0) return [];
  const message = `The vendor refused the request with these fields, so they were left out: ${names.slice(0, 20).join(", ")}.`;
  return [{ type: "warning", code: "PARAMETER_LEFT_OUT", message }];
}
