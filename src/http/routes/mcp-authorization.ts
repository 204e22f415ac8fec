import { Failure } from "../../protocol/failure.ts";
import { identify } from "../caller.ts";
import { type HttpContext, publicRoute, type Route } from "../context.ts";
import { publicOrigin } from "../own-origin.ts";
import { LacksScope } from "../scopes.ts";

const METADATA = "/.well-known/oauth-protected-resource";
/** The scope that an API key needs. */
const SCOPE = "tools";

/** Tells programs how to get a token for the MCP endpoint (RFC 9728). Both addresses are in use. */
export function mcpAuthorizationRoutes(): Route[] {
  return [
    publicRoute(`GET ${METADATA}`, describeResource),
    publicRoute(`GET ${METADATA}/mcp`, describeResource),
  ];
}

async function describeResource(c: HttpContext): Promise<Response> {
  const { auth, jwt } = c.get("server").deps.config;
  if (auth === "none") throw new Failure("NOT_FOUND", "This server needs no authorization.");
  return c.json({
    resource: `${publicOrigin(c)}/mcp`,
    resource_name: "Tackle",
    // Without an issuer, people make API keys themselves.
    ...(jwt?.issuer === undefined ? {} : { authorization_servers: [jwt.issuer] }),
    scopes_supported: [SCOPE],
    bearer_methods_supported: ["header"],
  });
}

/**
 * Finds out who calls, and tells a program without valid credentials where it gets them. Refuses guests: a program without
 * credentials would be a new guest, with new sessions, for every message.
 */
export async function identifyProgram(c: HttpContext) {
  const sent = c.req.header("authorization") !== undefined;
  try {
    const caller = await identify(c);
    if (caller.guestToken === undefined) return caller;
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === "UNAUTHORIZED")
      challenge(c, sent ? "invalid_token" : undefined);
    if (thrown instanceof LacksScope) challenge(c, "insufficient_scope");
    throw thrown;
  }
  challenge(c);
  throw new Failure("UNAUTHORIZED", "Send an API key or a token as Authorization: Bearer … to use MCP.");
}

function challenge(c: HttpContext, error?: "invalid_token" | "insufficient_scope"): void {
  const said = error === undefined ? "" : `error="${error}", `;
  const metadata = `${publicOrigin(c)}${METADATA}/mcp`;
  c.var.headers["www-authenticate"] = `Bearer ${said}scope="${SCOPE}", resource_metadata="${metadata}"`;
}
