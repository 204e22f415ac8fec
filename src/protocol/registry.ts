import type { ToolListing } from "./chat.ts";
import type { Tool } from "./tool.ts";

/** The tools there are. What it lists is visibility, not permission: that is the guard's. */
export interface Registry {
  /** The tool of this name or alias, if it is offered. */
  get(name: string): Tool | undefined;
  /** What is offered, by name. */
  list(): Tool[];
  /** The tools of these names, each once. Throws INVALID_INPUT that names the unknown one and what there is. */
  expand(names: readonly string[]): Tool[];
  listings(): ToolListing[];
  /** Adds a tool that comes from elsewhere, such as an MCP server. Throws CONFLICT where its name is taken. */
  add(tool: Tool, source: string): void;
  /** Removes all tools of a source that were added. */
  remove(source: string): void;
  /** Calls back whenever the offer has changed; answers the way to stop that. */
  onChange(callback: () => void): () => void;
  close(): void;
}
