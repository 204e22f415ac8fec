import { readJson } from "../body.ts";
import { type HttpContext, type Route, route } from "../context.ts";
import { AgUiEvents } from "../dialects/ag-ui/ag-ui-events.ts";
import { readAgUiRequest } from "../dialects/ag-ui/ag-ui-request.ts";
import { pausingStream } from "../dialects/front-ends/pausing-stream.ts";
import { startThread } from "../dialects/front-ends/start-thread.ts";
import { answerWithStream } from "../follow.ts";

/** AG-UI, the protocol of CopilotKit and other clients. */
export function chatAgUiRoutes(): Route[] {
  return [route("POST /chat/ag-ui", postRun)];
}

async function postRun(c: HttpContext): Promise<Response> {
  const body = await readJson(c, "conversation");
  const { thread, runId: name, turn, onDisconnect, state, isOld } = readAgUiRequest(body);
  const started = await startThread(c, { thread, turn, body });
  const { chat, runId, clientTools, resumeFrom, decided } = started;
  const events = new AgUiEvents({ threadId: thread.id, runId: name, clientTools, state, isOld });
  return answerWithStream(c, {
    runId,
    after: 0,
    kind: "new",
    encoder: pausingStream(events, { resumeFrom, decided, end: "" }),
    onGone: onDisconnect === "cancel" ? () => chat.cancel(runId) : undefined,
  });
}
