import type { ContentBlock, ResourceContents } from "./content.ts";
import type { Principal } from "./principal.ts";
import type { AskPerson } from "./questions.ts";
import type { ToolClient } from "./tool-client.ts";

/** What a prompt or resource is given besides its arguments. */
export interface OfferContext {
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly ask?: AskPerson;
  readonly client?: ToolClient;
}

export interface PromptArgument {
  name: string;
  description?: string;
  required?: boolean;
}

export interface PromptMessage {
  role: "user" | "assistant";
  content: ContentBlock;
}

/** A prompt that programs can offer to the people who use them. */
export interface OfferedPrompt {
  name: string;
  title?: string;
  description: string;
  arguments: PromptArgument[];
  get(args: Record<string, string>, context: OfferContext): Promise<PromptMessage[]>;
  complete?(argument: string, value: string, given: Record<string, string>): Promise<string[]>;
}

/** A resource with an address, or many whose addresses follow a template. */
export interface OfferedResource {
  uri: string;
  /** The address has variables in braces. */
  template: boolean;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  read(uri: string, variables: Record<string, string>, context: OfferContext): Promise<ResourceContents[]>;
  complete?(variable: string, value: string, given: Record<string, string>): Promise<string[]>;
}

/** What has changed. */
export type OfferChange = "tools" | "prompts" | "resources" | { uri: string };

/** The prompts and resources of one person. */
export interface Offerings {
  prompts(principal: Principal): Promise<OfferedPrompt[]>;
  resources(principal: Principal): Promise<OfferedResource[]>;
  /** Calls back on every change. Returns a function that stops it. */
  onChange(callback: (change: OfferChange) => void): () => void;
}
