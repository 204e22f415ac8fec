// Clients of Anthropic see our ids with its prefixes.

/** The id of a run as a message. */
export function messageId(runId: string): string {
  return runId.replace(/^run_/, "msg_");
}

/** The id of a call, as clients see it. Tools that run here have another prefix. */
export function toolUseId(callId: string, isClient: boolean): string {
  return callId.replace(/^call_/, isClient ? "toolu_" : "mcptoolu_");
}

/** Our own id of a call. Other ids stay unchanged. */
export function callIdOf(toolUseId: string): string {
  return toolUseId.replace(/^(?:mcp)?toolu_(?=[A-Za-z0-9_-]{20}_\d{1,4}$)/, "call_");
}
