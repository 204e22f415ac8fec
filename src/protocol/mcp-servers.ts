import type { Principal } from "./principal.ts";

/** The MCP servers whose tools we use, as one person sees them. */
export interface PersonalMcpServers {
  /** The document that tells authorization servers who we are. */
  clientMetadata(): Record<string, unknown>;
  /** Where this person has to go to authorize us at a server. Throws NOT_FOUND if that is not needed. */
  authorizationUrl(principal: Principal, server: string): Promise<string>;
  /**
   * Finishes an authorization that this person started and returns the server's name. Throws INVALID_INPUT where they have
   * none under way.
   */
  finishAuthorization(principal: Principal, callback: URLSearchParams): Promise<string>;
}
