import { formatToolResult } from "../../protocol/tool-result.ts";

/** The product's tools as a model is offered them over a wire that allows no dots. */
export const TOOLS = [
  tool("get_time", { timeZone: { type: "string", default: "UTC" } }),
  tool(
    "filesystem",
    {
      operation: {
        type: "string",
        enum: ["read", "list", "exists", "metadata", "search", "write", "edit", "move", "delete"],
      },
      path: { type: "string" },
      query: { type: "string" },
      content: { type: "string" },
      destination: { type: "string" },
      oldText: { type: "string" },
      newText: { type: "string" },
    },
    ["operation", "path"],
  ),
  tool("execute_command", { command: { type: "string" } }, ["command"]),
  tool("generate_artifact", {
    type: { type: "string" },
    prompt: { type: "string" },
    code: { type: "string" },
    title: { type: "string" },
    language: { type: "string" },
  }),
  tool("generate_image", {
    prompt: { type: "string" },
    mode: { type: "string" },
    aspectRatio: { type: "string" },
  }),
  tool("browser_search", { query: { type: "string" }, maxResults: { type: "integer" } }, ["query"]),
  tool("web_fetch", { url: { type: "string" } }, ["url"]),
];

/** A tool in the Chat Completions dialect. */
export function tool(name: string, properties: Record<string, unknown>, required: string[] = []) {
  const parameters = { type: "object", properties, required, additionalProperties: false };
  return { type: "function", function: { name, description: `The tool ${name}.`, parameters } };
}

export interface Answer {
  content: string;
  reasoning: string;
  calls: { id: string; name: string; arguments: Record<string, unknown> }[];
  finishReason: string | undefined;
  usage: Record<string, unknown> | undefined;
  frames: number;
}

interface Chunk {
  choices: {
    delta: {
      content?: string;
      reasoning_content?: string;
      tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
    };
    finish_reason: string | null;
  }[];
  usage?: Record<string, unknown>;
}

/** Asks a running model and gathers its stream. */
export async function askStream(url: string, body: Record<string, unknown>): Promise<Answer> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "demo", stream: true, ...body }),
  });
  const text = await response.text();
  const answer: Answer = {
    content: "",
    reasoning: "",
    calls: [],
    finishReason: undefined,
    usage: undefined,
    frames: 0,
  };
  const json: string[] = [];
  for (const line of text.split("\n").filter((one) => one.startsWith("data: {"))) {
    const chunk = JSON.parse(line.slice(6)) as Chunk;
    answer.frames++;
    answer.usage ??= chunk.usage;
    const [choice] = chunk.choices;
    if (!choice) continue;
    answer.content += choice.delta.content ?? "";
    answer.reasoning += choice.delta.reasoning_content ?? "";
    answer.finishReason = choice.finish_reason ?? answer.finishReason;
    for (const call of choice.delta.tool_calls ?? []) {
      if (call.id) answer.calls[call.index] = { id: call.id, name: call.function.name ?? "", arguments: {} };
      json[call.index] = (json[call.index] ?? "") + call.function.arguments;
    }
  }
  for (const [index, call] of answer.calls.entries()) call.arguments = JSON.parse(json[index] ?? "{}");
  return answer;
}

/** The messages of a question whose calls were answered with these outputs; an Error becomes an error result. */
export function answered(question: string, calls: Answer["calls"], outputs: (string | Error)[]) {
  return [
    { role: "user", content: question },
    {
      role: "assistant",
      content: null,
      tool_calls: calls.map((call) => ({
        id: call.id,
        type: "function",
        function: { name: call.name, arguments: JSON.stringify(call.arguments) },
      })),
    },
    ...calls.map((call, index) => {
      const output = outputs[index] ?? "";
      const failed = output instanceof Error;
      const content = formatToolResult({
        type: "tool_result",
        toolCallId: call.id,
        toolName: call.name,
        success: !failed,
        output: failed ? output.message : output,
        trust: "trusted",
        ...(failed ? { error: { code: "TOOL_DENIED", status: 403, message: output.message } } : {}),
      });
      return { role: "tool", tool_call_id: call.id, content };
    }),
  ];
}
