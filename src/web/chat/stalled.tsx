import { callsOf } from "../../protocol/reduce.ts";
import { connection, isCutOff } from "../state/connection.ts";
import { conversation, type LiveRun } from "../state/conversation.ts";
import { duration, t } from "../text/t.ts";
import { useClock } from "../ui/clock.ts";
import { vendorOf } from "./problem-words.ts";

/** A model that says nothing for this long may be stuck. */
const QUIET_MS = 15_000;

/** Says that nothing has come for a while, so that a stalled answer does not look like one that continues. */
export function Stalled() {
  const quiet = conversation(({ live }) => live !== undefined && isQuiet(live));
  const heardAt = conversation(({ live }) => live?.heardAt ?? live?.startedAt ?? 0);
  const model = conversation(({ live }) => live?.state.model ?? "");
  const cut = connection(isCutOff);
  const now = useClock(quiet);
  const spent = now - heardAt;
  if (!quiet || spent < QUIET_MS || model === "") return null;
  const words = cut
    ? t("stalledOffline")
    : t("stalled", { vendor: vendorOf(model), time: duration(Math.floor(spent / 5_000) * 5_000) });
  return <p className="ending">{words}</p>;
}

/** Returns true if the next thing must come from the model. */
function isQuiet({ state, lost }: LiveRun): boolean {
  if (lost || state.retry) return false;
  return callsOf(state).every(({ status }) => status === "succeeded" || status === "failed");
}
