import { type Message, textMessage } from "./protocol/messages.ts";
import type { Run, Store } from "./protocol/store.ts";
import type { TurnRequest } from "./protocol/turns.ts";

const HISTORY_MESSAGES = 400;

/** All that was said before a run answers, its own request last. */
export async function historyBefore(store: Store, run: Run, request: TurnRequest): Promise<Message[]> {
  const given = givenHistory(request);
  if (given && !request.attachments) return given;
  const stored = await store.listMessages(run.sessionId, { limit: HISTORY_MESSAGES });
  const answer = stored.findIndex(({ id }) => id === run.messageId);
  const said = answer === -1 ? stored : stored.slice(0, answer);
  if (given) return withNewest(given, request, said.at(-1));
  const [first, ...later] = said;
  if (!first?.runId || first.runId === run.id) return said;
  // A session that began with a whole history keeps its newest message alone; the rest is with the run.
  const opening = requestOf(await store.getRun(first.runId));
  const opened = givenHistory(opening);
  return opening && opened ? [...withNewest(opened, opening, first), ...later] : said;
}

/** What is attached is with the message that was written down. */
function withNewest(given: Message[], { attachments }: TurnRequest, newest: Message | undefined): Message[] {
  return newest && attachments ? [...given.slice(0, -1), newest] : given;
}

function givenHistory(request: TurnRequest | undefined): Message[] | undefined {
  if (request?.history) return request.history;
  return request?.messages?.map(({ role, content }, index) => textMessage(`history_${index}`, role, content));
}

function requestOf(run: Run | undefined): TurnRequest | undefined {
  return (run?.request as unknown as { request: TurnRequest } | undefined)?.request;
}
