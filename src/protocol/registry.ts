import type { ToolListing } from "./chat.ts";
import type { Principal } from "./principal.ts";
import type { Tool } from "./tool.ts";

/** The available tools. Being listed means being visible, not being allowed: the guard decides that. */
export interface Registry {
  /** The tool with this name or alias, if it is offered. */
  get(name: string): Tool | undefined;
  /** The offered tools, sorted by name. */
  list(): Tool[];
  /** The tools with these names, without duplicates. Throws INVALID_INPUT that names an unknown one. */
  expand(names: readonly string[]): Tool[];
  listings(): ToolListing[];
  /** Returns the tools as this person has them: guests have fewer. */
  for(principal: Pick<Principal, "kind">): Registry;
  /** Adds a tool from another source, such as an MCP server. Throws CONFLICT if its name is taken. */
  add(tool: Tool, source: string): void;
  /** Removes all tools of a source. */
  remove(source: string): void;
  /** Calls back whenever the tools change. Returns a function that stops it. */
  onChange(callback: () => void): () => void;
  close(): void;
}
