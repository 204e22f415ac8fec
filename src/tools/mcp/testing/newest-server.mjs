// A server of the newest revision over standard input and output. Its tools ask back before they answer.
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const asks = {
  form: {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: "Which color?",
      requestedSchema: { type: "object", properties: { color: { type: "string" } }, required: ["color"] },
    },
  },
  model: {
    method: "sampling/createMessage",
    params: { messages: [{ role: "user", content: { type: "text", text: "Name a bird." } }], maxTokens: 50 },
  },
  folders: { method: "roots/list" },
};

serveStdio(
  () => {
    const server = new Server({ name: "newest", version: "1" }, { capabilities: { tools: {} } });
    const tools = Object.keys(asks).map((name) => ({ name, inputSchema: { type: "object" } }));
    server.setRequestHandler("tools/list", () => ({ tools }));
    server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
      const { inputResponses } = mcpReq;
      if (!inputResponses) return { resultType: "input_required", inputRequests: { one: asks[params.name] } };
      return { content: [{ type: "text", text: JSON.stringify(inputResponses.one) }] };
    });
    return server;
  },
  { legacy: "reject" },
);
