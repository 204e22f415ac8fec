import { Failure } from "../../protocol/failure.ts";
import type {
  AnswerReader,
  Dialect,
  DialectContext,
  EmitModelEvent,
  ModelEvent,
  ModelRequest,
  Price,
  Usage,
} from "../../protocol/model.ts";
import { cutOff, unreadable } from "./failures.ts";

/** One answer being read: whatever happens to it, exactly one `finish` or `failure` goes out, and it is the last event. */
export interface Answer extends AnswerReader {
  fail(failure: Failure): void;
  readonly over: boolean;
}

/** Opens the reading of one answer. Must not throw, whatever the bytes are. */
export function openAnswer(
  dialect: Dialect,
  context: DialectContext,
  request: ModelRequest,
  emit: EmitModelEvent,
): Answer {
  const { price } = context.model;

  function pass(event: ModelEvent): void {
    if (answer.over) return;
    if (event.type === "finish" || event.type === "failure") answer.over = true;
    if (event.type === "usage") emit({ type: "usage", usage: priced(sound(event.usage), price) });
    else emit(event);
  }

  function fail(failure: Failure): void {
    pass({ type: "failure", failure });
  }

  // A plain property: it is looked at for every packet, and a getter would be called each time.
  const answer: Answer & { over: boolean } = {
    fail,
    over: false,
    frame(data, event) {
      if (answer.over) return;
      try {
        reader.frame(data, event);
      } catch (thrown) {
        fail(asFailure(thrown, context));
      }
    },
    whole(body) {
      if (answer.over) return;
      try {
        reader.whole(body);
      } catch (thrown) {
        fail(asFailure(thrown, context));
      }
    },
    end() {
      if (answer.over) return;
      try {
        reader.end();
      } catch (thrown) {
        fail(asFailure(thrown, context));
      }
      if (!answer.over) fail(cutOff(context));
    },
  };
  const reader = dialect.reader(pass, context, request);
  return answer;
}

function asFailure(thrown: unknown, context: DialectContext): Failure {
  return thrown instanceof Failure ? thrown : unreadable(context, thrown);
}

/** Usage without numbers that count nothing: budgets and bills are added up from it. */
function sound(usage: Usage): Usage {
  const result: Usage = { inputTokens: 0, outputTokens: 0 };
  for (const key of USAGE_KEYS) {
    const count = usage[key];
    if (count !== undefined && Number.isFinite(count) && count >= 0) result[key] = count;
  }
  return result;
}

const USAGE_KEYS = ["inputTokens", "outputTokens", "reasoningTokens", "cachedTokens", "costUsd"] as const;

/** Usage with its cost in dollars, unless the vendor named one itself. */
export function priced(usage: Usage, price: Price | undefined): Usage {
  if (!price || usage.costUsd !== undefined) return usage;
  const cached = Math.min(usage.cachedTokens ?? 0, usage.inputTokens);
  const millionths =
    (usage.inputTokens - cached) * price.input +
    cached * (price.cachedInput ?? price.input) +
    usage.outputTokens * price.output;
  return { ...usage, costUsd: millionths / 1_000_000 };
}
