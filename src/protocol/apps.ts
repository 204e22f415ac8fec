import { z } from "zod";
import type { AlwaysCovers } from "./events.ts";
import type { Principal } from "./principal.ts";
import type { Tool, ToolContext } from "./tool.ts";

// MCP Apps: a tool of an MCP server may have its own interface, a page that is shown with its result.

/** The extension of MCP that says so, and the type of such pages. */
export const APPS_EXTENSION = "io.modelcontextprotocol/ui";
export const APP_TYPE = "text/html;profile=mcp-app";

const domains = z.array(z.string()).optional();

/** What a page wants to reach on the network. Its frame lets it reach nothing unless the operator agrees. */
export const appDomains = z.object({ connectDomains: domains, resourceDomains: domains });
export type AppDomains = z.output<typeof appDomains>;

/** The page of an app, as its server gave it. */
export const appPage = z.object({
  html: z.string(),
  domains: appDomains.default({}),
  /** False if the page wants no border around it. */
  border: z.boolean().optional(),
});
export type AppPage = z.output<typeof appPage>;

/** A result as its server gave it: `content`, `structuredContent`, `_meta`, `isError`. */
export const appResult = z.record(z.string(), z.unknown());
export type AppResult = z.output<typeof appResult>;

/** What is kept of a call so that its app can be shown again, also when its server is gone. */
export const appRecord = z.object({
  server: z.string(),
  resourceUri: z.string(),
  page: appPage.optional(),
  result: appResult.optional(),
});
export type AppRecord = z.output<typeof appRecord>;

/** Returns the key under which the record of a call is kept, among the long results of its run. */
export function appKey(toolCallId: string): string {
  return `app:${toolCallId}`;
}

/** The interface of a tool. */
export interface ToolApp {
  server: string;
  resourceUri: string;
  /** Reads its page from the server. Throws `Failure`. */
  read(context: Pick<ToolContext, "principal" | "signal">): Promise<AppPage>;
}

/** The servers whose apps are shown, as the apps reach them. */
export interface AppServers {
  /** A tool that apps of this server may call, by the server's name for it. The model need not see it. */
  tool(server: string, name: string): Tool | undefined;
  /** Reads a resource. Throws `Failure`. */
  readResource(
    server: string,
    uri: string,
    context: Pick<ToolContext, "principal" | "signal">,
  ): Promise<{ contents: unknown[] }>;
  /** The origins that the operator lets apps of this server reach, where they declare them. */
  allowedDomains(server: string): readonly string[];
}

/** A call that an app made. */
export const appCall = z.object({
  name: z.string(),
  arguments: z.unknown().optional(),
  at: z.string(),
  success: z.boolean(),
  latencyMs: z.number(),
  error: z.string().optional(),
});
export type AppCall = z.output<typeof appCall>;

/** An app as the web app shows it. */
export interface ShownApp {
  server: string;
  resourceUri: string;
  /** The address of its page. Missing if the page could not be read. */
  pageUrl?: string;
  border?: boolean;
  /** What it may reach on the network. */
  domains: AppDomains;
  /** What it asked for and does not get. */
  refusedDomains: string[];
  tool: { name: string; description?: string; inputSchema: Record<string, unknown> };
  result?: AppResult;
  /** The newest calls that it made. */
  calls: AppCall[];
}

export const appCallRequest = z.strictObject({
  /** Made up by the caller. A decision counts once for each id. */
  callId: z.string().regex(/^[\w-]{1,64}$/),
  name: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.unknown()).default({}),
  decision: z.enum(["once", "always", "deny"]).optional(),
  argumentsHash: z.string().max(200).optional(),
});
export type AppCallRequest = z.output<typeof appCallRequest>;

/** What a call of an app comes to: a result, or a question to the person. */
export type AppCallAnswer =
  | { result: AppResult }
  | {
      approval: {
        toolName: string;
        arguments: unknown;
        argumentsHash: string;
        reason: string;
        risk: "low" | "medium" | "high";
        preview?: string;
        always?: AlwaysCovers;
      };
    };

/** Apps as the HTTP routes offer them. Everything but the page throws NOT_FOUND or FORBIDDEN for what is not this person's. */
export interface AppEndpoint {
  show(principal: Principal, runId: string, toolCallId: string): Promise<ShownApp>;
  /** The page behind an address with a key. Throws NOT_FOUND. */
  page(runId: string, toolCallId: string, key: string): Promise<AppPage>;
  call(
    principal: Principal,
    runId: string,
    toolCallId: string,
    request: AppCallRequest,
    options: { signal: AbortSignal; requestId: string; traceparent: string | undefined },
  ): Promise<AppCallAnswer>;
  read(
    principal: Principal,
    runId: string,
    toolCallId: string,
    uri: string,
    signal: AbortSignal,
  ): Promise<{ contents: unknown[] }>;
}
