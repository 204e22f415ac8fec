import type { Administration, PendingApproval } from "../protocol/administration.ts";
import type { ModelListing } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import {
  type Budgets,
  LIMITED_ROLES,
  type LimitedRole,
  type LimitSettings,
  type PersonalLimits,
} from "../protocol/limits.ts";
import type { ModelOffers } from "../protocol/model-offers.ts";
import { callsOf } from "../protocol/reduce.ts";
import { readState } from "../protocol/run-events.ts";
import type { Run } from "../protocol/run-records.ts";
import { parseRunRequest } from "../protocol/run-request.ts";
import type { LimitVerdict, Store } from "../protocol/store.ts";
import type { UsageLedger } from "./usage-ledger.ts";

export interface AdministrationParts {
  store: Store;
  config: LimitSettings;
  ledger: UsageLedger;
  personal: PersonalLimits;
  budgets: Budgets;
  offers: ModelOffers;
  models(): Promise<ModelListing[]>;
  cancelRun(runId: string): Promise<void>;
}

const MOST_RUNS = 200;
const MOST_NOTES = 200;
const TOOL_ROWS = ["generate_artifact", "generate_image", "search", "web_fetch"] as const;

/** Reads activity, usage and feedback, but nothing else that people said. */
export function createAdministration(parts: AdministrationParts): Administration {
  const { store, config, ledger, personal, budgets } = parts;
  const windowMs = config.requestLimits.windowMinutes * 60_000;

  async function approvalsIn(run: Run): Promise<PendingApproval[]> {
    const calls = callsOf(await readState(store, run.id));
    return calls.flatMap(({ status, approval, toolName }) =>
      status === "waiting" && approval
        ? [
            {
              runId: run.id,
              userId: run.userId,
              toolName,
              risk: approval.risk,
              expiresAt: approval.expiresAt,
            },
          ]
        : [],
    );
  }

  return {
    async feedback(days) {
      const withinMs = days * 24 * 60 * 60_000;
      const [models, notes] = [
        await store.countFeedback(withinMs),
        await store.listNotes(withinMs, MOST_NOTES),
      ];
      return { models, notes };
    },
    async usage(question) {
      await ledger.flush();
      const [{ now, slices }, tools] = [await store.readUsage(question), await store.readToolUses(question)];
      return { now, slices, tools };
    },
    async activity(starts) {
      await ledger.flush();
      const [total = { people: 0, calls: 0, failures: 0 }] = await store.countActivity(starts.slice(0, 1));
      return { total, each: await store.countActivity(starts) };
    },
    async situation() {
      const active = await store.listActiveRuns(MOST_RUNS);
      const waiting = active.filter(({ status }) => status === "waiting");
      const { sessions, messages, runs, bytes } = await store.stats();
      return {
        runs: active.map((run) => {
          const { id, userId, status, createdAt } = run;
          return {
            id,
            userId,
            status: status === "waiting" ? "waiting" : "running",
            model: parseRunRequest(run).model,
            startedAt: createdAt,
          };
        }),
        approvals: (await Promise.all(waiting.map(approvalsIn))).flat(),
        breakers: await store.listBreakers(),
        kept: { sessions, messages, runs, bytes },
      };
    },
    async errors(limit) {
      await ledger.flush();
      return store.listErrors(limit);
    },
    async stopRun(runId) {
      if (!(await store.getRun(runId))) throw new Failure("NOT_FOUND", "There is no such run.");
      await parts.cancelRun(runId);
    },
    async serverLimits() {
      const { requestLimits: limits, fixedLimits = [] } = config;
      const set = { guest: await personal.ofRole("guest"), account: await personal.ofRole("account") };
      const rows = (["chat", ...TOOL_ROWS, "costUsd"] as const).map((name) => {
        const usual = fixedLimits.includes(name) ? "operator" : "default";
        const fromOf = (role: LimitedRole) => (set[role][name] === undefined ? usual : "administrator");
        const own = LIMITED_ROLES.flatMap((role) => {
          const value = set[role][name];
          return value === undefined ? [] : [[role, value] as const];
        });
        const from = { guest: fromOf("guest"), account: fromOf("account") } as const;
        return { name, ...limits[name], ...Object.fromEntries(own), from };
      });
      return { windowMinutes: limits.windowMinutes, rows };
    },
    changeRoleLimits: personal.changeRole,
    closeBreaker: async (name) => void (await store.reportBreaker(name, { outcome: "succeeded" })),
    offers: parts.offers,
    models: parts.models,
    limitsOf: personal.of,
    changeLimits: personal.change,
    spentBy: (userId) => store.spentWithin(userId, windowMs),
    async budgetOf(principal) {
      const usd = await budgets.ofPerson(principal);
      return usd === undefined
        ? undefined
        : { usd, spentUsd: await store.spentWithin(principal.id, windowMs) };
    },
    async toolLimits({ id, kind }) {
      if (config.auth === "none" || (kind !== "guest" && kind !== "account")) return {};
      const own = await personal.applying({ id, kind });
      const verdicts: Record<string, LimitVerdict> = {};
      for (const row of TOOL_ROWS) {
        const limit = own[row] ?? config.requestLimits[row][kind];
        verdicts[row] = await store.peekLimit(id, row, limit, windowMs);
      }
      return verdicts;
    },
  };
}
