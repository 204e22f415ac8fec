import type { Principal } from "./principal.ts";

/** An MCP server whose tools we use, as one person sees it. */
export interface PersonalMcpServer {
  name: string;
  state: "starting" | "ready" | "unauthorized" | "unavailable";
  tools: number;
  /** Where this person authorizes us, if they have to. */
  authorizeUrl?: string;
  /** This person has granted access, and can take it back. */
  authorized?: true;
}

/** The MCP servers whose tools we use, as one person sees them. */
export interface PersonalMcpServers {
  list(principal: Principal): Promise<PersonalMcpServer[]>;
  /** Forgets what this person authorized at a server. Throws NOT_FOUND. */
  forget(principal: Principal, server: string): Promise<void>;
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
