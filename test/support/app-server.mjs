// An MCP server whose tools have interfaces, over standard input and output. Its first argument is the path of a JSON file
// with the pages, by the names of the tools that they belong to.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const pages = JSON.parse(readFileSync(process.argv[2], "utf8"));
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const inputSchema = { type: "object", properties: { city: { type: "string" } } };
const ui = (meta) => ({ inputSchema, _meta: { ui: meta } });
let erased = 0;

const tools = [
  ...Object.keys(pages).map((name) => ({ name, ...ui({ resourceUri: `ui://demo/${name}` }) })),
  // The older way to say it.
  { name: "old", inputSchema, _meta: { "ui/resourceUri": "ui://demo/show" } },
  { name: "slow", ...ui({ resourceUri: "ui://demo/show" }) },
  { name: "refresh", annotations: { readOnlyHint: true }, ...ui({ visibility: ["app"] }) },
  { name: "erase", ...ui({ visibility: ["app"] }) },
  { name: "broken", annotations: { readOnlyHint: true }, ...ui({ visibility: ["app"] }) },
  { name: "private", ...ui({ visibility: ["model"] }) },
];

function resultOf({ name, arguments: args }) {
  if (name === "erase") erased++;
  return {
    content: [{ type: "text", text: `${name} of ${args?.city ?? "nothing"}` }],
    structuredContent: { degrees: 21, erased, args: args ?? {} },
    _meta: { hidden: "for the app" },
    ...(name === "broken" ? { isError: true } : {}),
  };
}

function readOf(uri) {
  const html = pages[uri.replace("ui://demo/", "")];
  const domains = { connectDomains: ["https://api.example"], resourceDomains: ["https://cdn.example"] };
  if (html !== undefined)
    return { uri, mimeType: "text/html;profile=mcp-app", text: html, _meta: { ui: { csp: domains } } };
  return { uri, mimeType: "text/plain", text: `the text of ${uri}` };
}

const answers = {
  initialize: ({ protocolVersion, capabilities }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "demo", version: JSON.stringify(capabilities.extensions ?? {}) },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": resultOf,
  "resources/read": ({ uri }) => ({ contents: [readOf(uri)] }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  // It never ends by itself.
  if (method === "tools/call" && params.name === "slow") return;
  const answer = answers[method];
  if (answer) write({ id, result: answer(params ?? {}) });
  else write({ id, error: { code: -32601, message: "no such method" } });
});
