import { FRAMES, IDEMPOTENT, type Topic } from "./descriptions.ts";
import { RESPONSE_ROUTES } from "./response-routes.ts";

const SENTENCE = { type: "text/plain", says: "A sentence." };

/** The routes that speak the protocols of others. */
export const DIALECT_TOPICS: Record<string, Topic> = {
  openai: {
    title: "OpenAI's API",
    routes: {
      "POST /v1/chat/completions": {
        summary: "Chat completions with tools that run on the server",
        body: "OpenAiRequest",
        headers: IDEMPOTENT,
        200: ["OpenAiObject", FRAMES],
      },
      "POST /v1/chat/completions/stop": {
        summary: "Stops a completion by its id, or by the client's own id for it",
        body: "OpenAiRequest",
        200: "OpenAiObject",
      },
      ...RESPONSE_ROUTES,
      "GET /v1/models": {
        summary: "Lists the models; with `anthropic-version`, in Anthropic's format",
        200: "OpenAiList",
      },
      "GET /v1/models/:id{.+}": { summary: "Returns a model", 200: "OpenAiObject" },
      "GET /v1/tools": { summary: "Lists the server's tools; requests name them", 200: "OpenAiList" },
    },
  },
  anthropic: {
    title: "Anthropic's API",
    routes: {
      "POST /v1/messages": {
        summary: "Messages with tools that run on the server",
        body: "AnthropicRequest",
        headers: IDEMPOTENT,
        200: ["AnthropicMessage", FRAMES],
      },
      "POST /v1/messages/count_tokens": {
        summary: "Estimates the tokens of a request",
        body: "AnthropicRequest",
        200: "AnthropicCount",
      },
    },
  },
  "front ends": {
    title: "Protocols of other front ends",
    routes: {
      "POST /chat/ui": {
        summary: "Runs a turn for the AI SDK's `useChat`, as a UI message stream",
        body: "FrontEndRequest",
        headers: IDEMPOTENT,
        200: FRAMES,
      },
      "GET /chat/ui/:id/stream": {
        summary: "Streams the current answer from its start",
        200: FRAMES,
        204: "nothing",
      },
      "POST /chat/ui/:id/stop": { summary: "Stops the current answer", 200: "Stopped" },
      "POST /chat/ag-ui": {
        summary: "Starts a run for AG-UI clients",
        body: "FrontEndRequest",
        headers: IDEMPOTENT,
        200: FRAMES,
      },
      "POST /mcp": {
        summary: "Offers the tools over the Model Context Protocol",
        body: "JsonRpc",
        200: ["JsonRpc", FRAMES],
        202: "nothing",
      },
      "GET /mcp": { summary: "Streams the server's messages of an MCP session", 200: FRAMES },
      "DELETE /mcp": { summary: "Ends an MCP session", 200: "nothing" },
      "GET /mcp/sse": { summary: "Opens a session of MCP's older transport", 200: FRAMES },
      "POST /mcp/sse": {
        summary: "Sends a message in such a session, whose answer comes in its stream",
        body: "JsonRpc",
        202: "nothing",
      },
      "GET /.well-known/oauth-protected-resource": {
        summary: "Tells MCP clients where they get a token",
        200: "ProtectedResource",
        open: true,
      },
      "GET /.well-known/oauth-protected-resource/mcp": {
        summary: "The same, at the address that clients derive from that of the endpoint",
        200: "ProtectedResource",
        open: true,
      },
      "GET /mcp/servers": { summary: "Lists the MCP servers whose tools you can use", 200: "McpServers" },
      "GET /mcp/servers/:name/authorize": {
        summary: "Sends the browser to where you grant access to an MCP server",
        302: "nothing",
      },
      "DELETE /mcp/servers/:name/authorization": {
        summary: "Forgets the access to an MCP server that you granted",
        204: "nothing",
      },
      "GET /mcp/oauth/callback": {
        summary: "Where the browser returns after authorizing access to an MCP server",
        query: { code: "The server's code.", state: "Identifies the authorization." },
        200: SENTENCE,
        302: "nothing",
      },
      "GET /mcp/oauth/client.json": {
        summary: "Tells authorization servers who asks for access",
        200: "OAuthClient",
        open: true,
      },
    },
  },
};
