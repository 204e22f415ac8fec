import type { Chat } from "../protocol/chat.ts";
import type { ChatEvent } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import { reduceAll } from "../protocol/reduce.ts";
import type { DelegatedTask, ToolContext, ToolOutput } from "../protocol/tool.ts";

type ForTool = Required<Pick<ToolContext, "ask" | "client" | "timeLimit">>;
type Asked = Extract<ChatEvent, { type: "tool_approval_required" | "question_required" }>;

/**
 * Starts a separate run that works on a task for another program, and returns its answer. The same call id joins the same run. What the
 * run asks, the program is asked; where it cannot be, the person can answer in the web app.
 */
export async function runFor(
  chat: Chat,
  callId: string,
  { task, tools, model, signal }: DelegatedTask,
  forTool: ForTool,
): Promise<ToolOutput> {
  const request = { message: task, ...(tools ? { tools: [...tools] } : {}), ...(model ? { model } : {}) };
  const { runId } = await chat.send(request, { idempotencyKey: callId });
  const events: ChatEvent[] = [];
  forTool.timeLimit.pause(); // The run has limits of its own.
  try {
    for await (const { event } of chat.follow(runId, { signal })) {
      events.push(event);
      if (event.type !== "tool_approval_required" && event.type !== "question_required") continue;
      void passOn(chat, runId, event, forTool).catch(() => undefined); // It may have been answered elsewhere, or be over.
    }
  } finally {
    // A server that ends leaves the run to others.
    if (signal.aborted && signal.reason !== "released") await chat.cancel(runId);
  }
  const { text, finishReason, error } = reduceAll(events);
  if (error) throw new Failure("TOOL_FAILED", error.error);
  if (finishReason === undefined || finishReason === "cancelled")
    throw new Failure("CANCELLED", "The run was stopped.");
  return { output: text, data: { runId }, trust: "untrusted" };
}

async function passOn(chat: Chat, runId: string, event: Asked, { ask, client }: ForTool): Promise<void> {
  if (!client.capabilities.elicitation) return;
  const { toolCallId } = event;
  if (event.type === "question_required") {
    const { question, options, multiple } = event;
    const answer = await ask(question, {
      ...(options ? { options } : {}),
      ...(multiple ? { multiple } : {}),
    });
    if (answer !== undefined) await chat.answer(runId, toolCallId, answer);
    return;
  }
  const preview = event.preview ?? JSON.stringify(event.arguments);
  const { action, content } = await client.elicit({
    key: `approval-${toolCallId}`,
    message: `Allow ${event.toolName}? ${event.reason}\n${preview}`,
    schema: { properties: { allow: { type: "boolean", title: "Allow this call" } }, required: ["allow"] },
  });
  const allowed = action === "accept" && content?.allow === true;
  const { argumentsHash } = event;
  await chat.decide(runId, toolCallId, { decision: allowed ? "once" : "deny", argumentsHash });
}
