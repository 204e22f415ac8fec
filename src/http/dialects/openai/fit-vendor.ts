import { unsupported } from "./errors.ts";
import type { ResponseRequest } from "./response-request.ts";
import { RESPONSES } from "./settings.ts";
import { IMAGE_TOOL } from "./shown-images.ts";
import { notForced } from "./tool-choice.ts";

/** The type of the tool of OpenAI's that does what our image tool does. */
const MAKES_IMAGES = "image_generation";

/**
 * Returns the request as the model's vendor can carry it out. A vendor that does not speak Responses has no stored prompts, and
 * images are made by our own tool. Throws if another tool of OpenAI's is forced, or if one would ask for approvals.
 */
export async function fitVendor(
  request: ResponseRequest,
  dialectOf: () => Promise<string | undefined>,
): Promise<ResponseRequest> {
  const { forcedType, hasPrompt, offered, settings } = request;
  const makesImages = offered.vendors.some(({ type }) => type === MAKES_IMAGES);
  const asks = offered.vendors.find((tool) => tool.type === "mcp" && tool.require_approval !== "never");
  if (forcedType === undefined && !hasPrompt && !makesImages && !asks) return request;
  if ((await dialectOf()) === RESPONSES) {
    if (asks) throw mayNotAsk(String(asks.server_label));
    return request;
  }
  const forcesImage = makesImages && forcedType === MAKES_IMAGES;
  if (forcedType !== undefined && !forcesImage) throw notForced(forcedType);
  const prompts = hasPrompt ? ["The stored prompt is left out: this model's vendor does not have it."] : [];
  const leftOut = [...offered.leftOut, ...prompts];
  if (!makesImages) return { ...request, offered: { ...offered, leftOut } };
  const vendors = offered.vendors.filter(({ type }) => type !== MAKES_IMAGES);
  return {
    ...request,
    ...(forcesImage ? { toolChoice: IMAGE_TOOL } : {}),
    offered: { ...offered, leftOut, vendors, optional: [...offered.optional, IMAGE_TOOL] },
    settings: { ...settings, vendorTools: { [RESPONSES]: vendors } },
  };
}

/** The failure for an MCP server whose calls OpenAI would ask about, which is also what it does unless told otherwise. */
function mayNotAsk(label: string) {
  return unsupported(
    "tools",
    `Approvals of calls that OpenAI makes are not passed on: set 'require_approval' of the MCP server '${label.slice(0, 60)}' to 'never', or connect the server to Tackle, which asks itself.`,
  );
}
