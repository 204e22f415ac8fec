// Clients of Anthropic see our ids with its prefixes.

/** The id of a run as a message. */
export function messageId(runId: string): string {
  return runId.replace(/^run_/, "msg_");
}

/** Who runs a call, as clients see it: they themselves, this server, or the vendor's own search, which ours stands for. */
export type Runner = "toolu" | "mcptoolu" | "srvtoolu";

/** The id of a call, as clients see it. */
export function toolUseId(callId: string, runner: Runner): string {
  return callId.replace(/^call_/, `${runner}_`);
}

/** Our own id of a call. Other ids stay unchanged. */
export function callIdOf(toolUseId: string): string {
  return toolUseId.replace(/^(?:mcp|srv)?toolu_(?=[A-Za-z0-9_-]{20}_\d{1,4}$)/, "call_");
}
