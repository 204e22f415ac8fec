import type { Message } from "../protocol/messages.ts";
import type { ToolChoice } from "../protocol/model.ts";
import { type Answer, askModel, type Continuing } from "./ask.ts";
import type { ContextKeeper } from "./context-keeper.ts";
import type { Turn } from "./turn.ts";
import { type ContextFill, reportUsage } from "./usage.ts";

/** Asks the model with `first`, which fits its window. If the vendor finds it too long all the same, less is sent. */
export async function askFitting(
  turn: Turn,
  keeper: ContextKeeper | undefined,
  { history, first }: { history: Message[]; first: Message[] },
  choice: ToolChoice,
  deadline: number,
  continuing: Continuing,
): Promise<{ answer: Answer; sent: Message[] }> {
  const shown = turn.log.state().text.length;
  let sent = first;
  for (let tries = 0; ; tries++) {
    const answer = await askModel(turn, sent, choice, deadline, continuing);
    if (answer.outcome === "finished") keeper?.noteUsage(answer.last ?? answer.usage);
    reportUsage(turn, answer.usage, fillAfter(turn, keeper, answer));
    const said = turn.log.state().text.length > shown;
    if (said || !(await keeper?.recover(answer, history, tries))) return { answer, sent };
    sent = (await keeper?.fit(history)) ?? history;
  }
}

/** Returns how full the window is after an answer. */
function fillAfter({ model }: Turn, keeper: ContextKeeper | undefined, answer: Answer): ContextFill {
  const contextWindow = keeper?.window ?? model.info.contextWindow;
  const { inputTokens, outputTokens } = (answer.outcome !== "over_budget" && answer.last) || answer.usage;
  const contextTokens = inputTokens + outputTokens;
  return { contextTokens, ...(contextWindow === undefined ? {} : { contextWindow }) };
}
