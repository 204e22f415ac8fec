import { createBudgets, createThrottle, refundAsGuest, takeAsGuest } from "../guard/allowances.ts";
import { type Breakers, createBreakers } from "../guard/breaker.ts";
import { checkUnavailable } from "../guard/layers.ts";
import { allowanceOf, limitReached, limitsLayer, rowOf } from "../guard/limits.ts";
import { createPersonalLimits } from "../guard/personal-limits.ts";
import { createStatistics, type Statistics } from "../guard/tool-statistics.ts";
import type { GuardLayer } from "../protocol/guard.ts";
import type { Budgets, Client, PersonalLimits, RequestLimits, Throttle } from "../protocol/limits.ts";
import type { Principal } from "../protocol/principal.ts";
import type { LimitVerdict, Store } from "../protocol/store.ts";
import type { Tool, ToolContext } from "../protocol/tool.ts";
import type { Config } from "./config.ts";
import type { Peers } from "./processes/peers.ts";
import { shareThrottle } from "./processes/share-throttle.ts";

/** Everything that counts and refuses calls, once per process. */
export interface ToolLimits {
  layers: GuardLayer[];
  breakers: Breakers;
  statistics: Statistics;
  budgets: Budgets;
  personal: PersonalLimits;
  /** Shared by chat requests and tools. */
  throttle: Throttle;
  /** How many calls of a tool a person has left. Undefined if they are not limited. */
  callsLeft(tool: Tool, principal: Principal): Promise<LimitVerdict | undefined>;
  /** What the limits said about the call with this context. */
  verdictOf(context: ToolContext): LimitVerdict | undefined;
  /**
   * Counts a direct call of a guest by address as well, because a guest can drop its token. Throws RATE_LIMITED. Returns a function that gives the use back, which never throws.
   */
  takeByAddress(tool: Tool | undefined, client: Client): Promise<(() => Promise<void>) | undefined>;
}

const DEFAULT_PER_MINUTE = 600;

/** Creates the limits of this process from the settings. */
export function createToolLimits(
  store: Store,
  config: Config,
  onProblem: (thrown: unknown) => void,
  peers?: Pick<Peers, "tell" | "onNote">,
): ToolLimits {
  const table = tableOf(config.requestLimits);
  const breakers = createBreakers({ store, onProblem });
  const statistics = createStatistics();
  const own = createThrottle({ perMinute: perMinute(config) });
  const throttle = peers && Number.isFinite(perMinute(config)) ? shareThrottle(own, peers) : own;
  const personal = createPersonalLimits(store, config.fixedLimits);
  const budgets = createBudgets({ store, config, personal });
  const verdicts = new WeakMap<ToolContext, LimitVerdict>();
  const layers = limitsLayer({
    store,
    breakers,
    throttle,
    table,
    personal,
    budgets,
    note: statistics.note,
    onVerdict: ({ context }, verdict) => verdicts.set(context, verdict),
  });
  return {
    layers,
    breakers,
    statistics,
    budgets,
    personal,
    throttle,
    async callsLeft(tool, principal) {
      const row = rowOf(tool, table);
      const usual = row === undefined ? undefined : allowanceOf(row, principal, table);
      if (row === undefined || usual === undefined) return undefined;
      const limit =
        ((await personal.applying(principal)) as Readonly<Record<string, number | undefined>>)[row] ?? usual;
      return store.peekLimit(principal.id, row, limit, table.windowMs);
    },
    verdictOf: (context) => verdicts.get(context),
    async takeByAddress(tool, client) {
      const row = tool && rowOf(tool, table);
      if (client.guest === undefined || row === undefined) return undefined;
      const { guestsPerAddress } = config.requestLimits;
      const refused = await personal
        .ofRole("guest")
        .then((set: Readonly<Record<string, number | undefined>>) => {
          const limit = set[row] ?? allowanceOf(row, { id: client.address, kind: "guest" }, table) ?? 0;
          return takeAsGuest(store, client, row, { limit, guestsPerAddress, windowMs: table.windowMs });
        })
        .catch((thrown: unknown) => {
          throw checkUnavailable(thrown);
        });
      if (refused) throw limitReached(tool?.name ?? row, refused, table.windowMs);
      return () => refundAsGuest(store, client, row).catch(onProblem);
    },
  };
}

function tableOf({ windowMinutes, generate_artifact, generate_image, search, web_fetch }: RequestLimits) {
  return {
    windowMs: windowMinutes * 60_000,
    rows: { generate_artifact, generate_image, search, web_fetch },
  };
}

function perMinute({ requestLimits, auth }: Config): number {
  return requestLimits.api?.perMinute ?? (auth === "none" ? Number.POSITIVE_INFINITY : DEFAULT_PER_MINUTE);
}
