import type { Chat } from "../../../protocol/chat.ts";
import type { TurnRequest } from "../../../protocol/turns.ts";
import { beginTurn, readIdempotencyKey } from "../../begin-turn.ts";
import type { HttpContext } from "../../context.ts";
import { turnsFor } from "../turns.ts";
import { decideCalls, stopActiveRun, type Thread, type ThreadTurn, toThreadTurn } from "./thread.ts";

/** Starts the turn that a front end asks for, or resumes the run whose calls it decided. */
export async function startThread(
  c: HttpContext,
  { thread, turn, body }: { thread: Thread; turn: TurnRequest; body: unknown },
): Promise<ThreadTurn & { chat: Chat }> {
  const server = c.get("server");
  const idempotencyKey = readIdempotencyKey(c);
  return beginTurn(c, async (principal) => {
    const chat = server.deps.chatFor(principal);
    const resumed = await decideCalls(server, principal, thread);
    if (resumed) return { chat, ...resumed };
    if (idempotencyKey === undefined) await stopActiveRun(server, principal, thread);
    const turns = turnsFor(server, principal);
    const request = await toThreadTurn(turns, thread, turn);
    const { requestId, traceparent } = c.var;
    return { chat, ...(await turns.start(request, { idempotencyKey, requestId, traceparent, body })) };
  });
}
