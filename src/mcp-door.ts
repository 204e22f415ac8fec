import type { Tackle } from "./app.ts";
import type { DoorParts } from "./mcp/door.ts";
import type { HttpCaller, HttpDoor } from "./mcp/http-door.ts";
import { loadOptional } from "./optional-package.ts";
import { productVersion } from "./product-version.ts";

/** Our tools, as other programs reach them over MCP. */
export function mcpDoorParts(tackle: Tackle): DoorParts {
  return {
    version: productVersion(),
    tools: () => tackle.registry.list(),
    call: ({ principal, name, args, signal, memory, ask, progress }) =>
      tackle.callTool(principal, name, args, signal, { asModel: { memory, ask }, progress }),
    onChange: (callback) => tackle.registry.onChange(callback),
  };
}

/** The endpoint for the HTTP door; its library is loaded when somebody first calls. */
export function mcpEndpoint(tackle: Tackle) {
  let opened: Promise<HttpDoor> | undefined;
  const open = async () =>
    (await loadOptional("MCP", import("./mcp/http-door.ts"))).createHttpDoor(mcpDoorParts(tackle));
  return {
    async handle(request: Request, caller: HttpCaller): Promise<Response> {
      opened ??= open();
      return (await opened).handle(request, caller);
    },
    finishAuthorization: (callback: URLSearchParams) => tackle.mcp.finishAuthorization(callback),
    async close(): Promise<void> {
      await (await opened)?.close();
    },
  };
}
