import type { FailureCode } from "../../protocol/failure.ts";
import type { RunState } from "../../protocol/reduce.ts";
import { person } from "../state/person.ts";
import { clockTime, countdown, dollars, duration, t } from "../text/t.ts";
import { inOwnWords } from "../text/translate.ts";
import type { IconName } from "../ui/icons.tsx";
import { spelledModel } from "./model-name.ts";
import { capitalized } from "./step-words.ts";

/** A failure as the person gets it: of a run, or of a request that the server refused. */
export interface ShownFailure {
  error: string;
  code: FailureCode;
  requestId?: string | undefined;
  retryable: boolean;
  retryAfter?: number | undefined;
  cause?: string | undefined;
  /** How long the vendor had been answering. */
  brokeOffAfterMs?: number | undefined;
  details?: Record<string, unknown> | undefined;
}

/** The one thing that the person can do about it. */
export type Remedy =
  | "retry"
  | "retry-or-other"
  | "other-model"
  | "key"
  | "edit"
  | "summarize"
  | "continue"
  | "sign-in"
  | "sign-in-again"
  | "usage"
  | "none";

interface Words {
  title: string;
  line: string;
  remedy: Remedy;
  /** A limit is not a failure. */
  icon?: IconName;
}

interface Circumstances {
  /** The id of the model that was asked. */
  model: string;
  /** Something was said before it failed. */
  hasText: boolean;
  /** The server refused the message, which is in the message field again. */
  refused: boolean;
}

/** Returns the vendor of a model by its name. */
export function vendorOf(model: string): string {
  const known = person.getState().models.find(({ id }) => id === model)?.vendor;
  return known ?? capitalized(model.split("/", 1)[0] ?? "");
}

/** Returns the name of a model. */
export function labelOf(model: string): string {
  return person.getState().models.find(({ id }) => id === model)?.label ?? spelledModel(model);
}

/** From this many seconds on, the time of day says more than a countdown. */
const LONG_WAIT = 60;

/** Returns true if the time of day says more than a countdown. */
export function isLongWait(left: number): boolean {
  return left > LONG_WAIT;
}

/** Returns what is left of a wait, or the time at which a long one ends. */
export function waitWords(left: number): string {
  return isLongWait(left) ? clockTime(new Date(Date.now() + left * 1_000)) : countdown(left);
}

/** Says what went wrong and what to do. `left`: the seconds to wait. */
export function wordsOfProblem(failure: ShownFailure, at: Circumstances, left: number): Words {
  const { code, cause, retryable } = failure;
  const names = { vendor: vendorOf(at.model), model: labelOf(at.model), time: waitWords(left) };
  const isLong = isLongWait(left);
  const words = (title: string, line: string, remedy: Remedy): Words => ({ title, line, remedy });
  if (code === "RATE_LIMITED") return limitWords(failure, left);
  if (code === "CONTEXT_TOO_LARGE")
    return words(t("tooLongTitle", names), t("tooLongLine"), at.refused ? "none" : "summarize");
  if (code === "TOO_LARGE") return words(t("tooMuchTitle", names), t("tooMuchLine"), "none");
  if (code === "API_THROTTLED" || code === "RESOURCE_EXHAUSTED")
    return words(
      t(isLong ? "throttledUntil" : left > 0 ? "throttledTitle" : "throttledNow", names),
      t("savedLine"),
      "retry",
    );
  if (code === "INTERNAL" || code === "STORAGE_FULL") return words(t("oursTitle"), t("savedLine"), "retry");
  if (at.refused && code === "UNAUTHORIZED")
    return words(t("signedOutTitle"), t("unsentLine"), "sign-in-again");
  if (at.refused) return refusedWords(failure);
  if (at.hasText && retryable) {
    return words(t("cutTitle"), cutLine(failure, names.vendor), "continue");
  }
  switch (cause) {
    case "key":
      return words(t("keyTitle", names), t("keyLine"), "key");
    case "quota":
      return words(t("quotaTitle", names), t("quotaLine"), "other-model");
    case "model":
      return words(t("modelTitle", names), t("modelLine"), "other-model");
    case "rules":
      return words(t("rulesTitle", names), t("rulesLine"), "edit");
  }
  if (code === "BREAKER_OPEN" && left > 0)
    return words(t("gaveUpTitle", names), t(isLong ? "pausedUntil" : "pausedLine", names), "retry-or-other");
  if (retryable) return words(t("gaveUpTitle", names), t("gaveUpLine"), "retry-or-other");
  return words(t("refusedTitle", names), t("refusedLine"), "other-model");
}

/** Returns true if the model was in the middle of something that it had begun to say. */
export function isCut({ blocks, notices = [] }: RunState): boolean {
  const last = blocks.at(-1);
  if (notices.some(({ at, event }) => at === blocks.length && event.type === "user_message")) return false;
  return last?.type === "text" || (last?.type === "reasoning" && !last.reasoning.complete);
}

/** Says what cut an answer off, and after how long where that is known. */
function cutLine({ code, brokeOffAfterMs }: ShownFailure, vendor: string): string {
  if (code === "INTERRUPTED") return t("cutRestart");
  if (code === "UPSTREAM_TIMEOUT") return t("cutSlow", { vendor });
  return brokeOffAfterMs === undefined
    ? t("cutLine", { vendor })
    : t("cutLineAfter", { vendor, time: duration(brokeOffAfterMs) });
}

function limitWords(failure: ShownFailure, left: number): Words {
  const { me } = person.getState();
  const limit = failure.details?.limit;
  if (typeof limit !== "number" && me?.budget === undefined) return refusedWords(failure);
  const remedy = me?.kind === "guest" ? "sign-in" : "usage";
  if (typeof limit !== "number") return { ...moneyWords(me?.budget?.usd), remedy, icon: "clock" };
  const clock = clockTime(new Date(Date.now() + left * 1_000));
  const line = t("limitLine", { clock, time: countdown(left) });
  return { title: t("limitTitle", { limit }), line, remedy, icon: "clock" };
}

/** Says that the person's budget is used up, and when some of it is free again. */
export function moneyWords(usd?: number): { title: string; line: string } {
  const title = usd === undefined ? t("moneyPlain") : t("moneyTitle", { usd: dollars(usd) });
  return { title, line: t("moneyLine") };
}

/** What the server says itself, unless it speaks of things that have no place on the screen. */
function refusedWords({ error }: ShownFailure): Words {
  const isPlain = !/\w_\w|[\w-]+\/[\w-]+|[0-9a-f]{8}-/.test(error);
  return { title: t("unsentTitle"), line: isPlain ? inOwnWords(error) : t("unsentLine"), remedy: "retry" };
}
