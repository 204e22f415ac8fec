#!/bin/sh
# The client under test, as the conformance suite sees it. It passes the scenario on to the harness in `mcp-host.ts`, which
# adds the server to a running Tackle. The suite starts it a hundred times, and curl starts in a tenth of the time of Node.
none="{}"
exec curl --silent --show-error --fail-with-body --data-binary @- "$MCP_HOST_HARNESS" <<END
{ "scenario": "$MCP_CONFORMANCE_SCENARIO", "url": "$1", "context": ${MCP_CONFORMANCE_CONTEXT:-$none} }
END
