// The client under test, as the conformance suite sees it. It passes the scenario on to the harness in `mcp-host.ts`, which
// adds the server to a running Tackle.
const { MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_CONTEXT, MCP_HOST_HARNESS } = process.env;
const answer = await fetch(MCP_HOST_HARNESS, {
  method: "POST",
  body: JSON.stringify({
    scenario: MCP_CONFORMANCE_SCENARIO,
    url: process.argv[2],
    context: MCP_CONFORMANCE_CONTEXT ? JSON.parse(MCP_CONFORMANCE_CONTEXT) : {},
  }),
});
console.log(await answer.text());
process.exit(answer.ok ? 0 : 1);
