import type { ChatEvent } from "../../protocol/events.ts";
import type { StreamEncoder } from "../sse.ts";

/** Writes our own frames. Clients of `/functions/v1/chat` also find some facts under the names they know. */
export const functionFrames: StreamEncoder = {
  encode: (events) => events.map(({ seq, json }) => `id: ${seq}\ndata: ${withOldNames(json)}\n\n`).join(""),
  end: () => "data: [DONE]\n\n",
};

const RENAMED = /^\{"type":"(tool_call_start|reasoning_status|tool_result|artifact_complete)"/;

function withOldNames(json: string): string {
  if (!RENAMED.test(json)) return json;
  const event = JSON.parse(json) as ChatEvent;
  return JSON.stringify({ ...event, ...oldNames(event) });
}

function oldNames(event: ChatEvent): object {
  switch (event.type) {
    case "tool_call_start":
      return { tool: event.toolName };
    case "reasoning_status":
      return { message: event.content };
    case "tool_result": {
      const { success, output, error } = event;
      return { tool: event.toolName, result: { success, output, ...(error ? { error } : {}) } };
    }
    case "artifact_complete": {
      const { artifactId: id, artifactType: type, artifactTitle: title, artifactCode: code } = event;
      return { artifact: { id, type, title, code } };
    }
    default:
      return {};
  }
}
