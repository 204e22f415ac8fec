import type { Administration } from "../protocol/administration.ts";
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
import type { Run } from "../protocol/run-records.ts";
import { parseRunRequest } from "../protocol/run-request.ts";
import type { LimitVerdict, Store } from "../protocol/store.ts";
import { personWaits, workWait } from "./run-waits.ts";
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
/** Of this many runs, the oldest, we read what they wait for. */
const MOST_LOOKED_INTO = 50;
const MOST_NOTES = 200;
const TOOL_ROWS = ["generate_artifact", "generate_image", "search", "web_fetch"] as const;

/** Reads activity, usage and feedback, but nothing else that people said. */
export function createAdministration(parts: AdministrationParts): Administration {
  const { store, config, ledger, personal, budgets } = parts;
  const windowMs = config.requestLimits.windowMinutes * 60_000;

  async function waitOf(run: Run, place: number): Promise<Awaited<ReturnType<typeof personWaits>>> {
    if (run.status === "waiting") return personWaits(store, run);
    const waitsFor = place < MOST_LOOKED_INTO ? await workWait(store, run.id) : undefined;
    return { waitsFor, approvals: [] };
  }

  return {
    feedback: async (withinMs) => ({
      slices: await store.countFeedback(withinMs),
      notes: await store.listNotes(withinMs, MOST_NOTES),
    }),
    async usage({ toolsMs, ...question }) {
      await ledger.flush();
      const { now, slices } = await store.readUsage(question);
      const tools = await store.readToolUses({ ...question, windowMs: toolsMs });
      return { now, slices, tools };
    },
    async activity(starts) {
      await ledger.flush();
      const [total = { people: 0, calls: 0, failures: 0, running: 0, bytes: 0 }] = await store.countActivity(
        starts.slice(0, 1),
      );
      return { total, each: await store.countActivity(starts) };
    },
    async situation() {
      const active = await store.listActiveRuns(MOST_RUNS);
      const waits = await Promise.all(active.map(waitOf));
      const { sessions, messages, runs, bytes } = await store.stats();
      return {
        runs: active.map((run, place) => {
          const { id, userId, status, createdAt } = run;
          const { waitsFor } = waits[place] ?? {};
          return {
            id,
            userId,
            status: status === "waiting" ? "waiting" : "running",
            model: parseRunRequest(run).model,
            startedAt: createdAt,
            waitsFor,
          };
        }),
        approvals: waits.flatMap(({ approvals }) => approvals),
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
    changeLimits: personal.change,
    owned: (userId) => store.countOwned(userId),
    async describePeople(userIds) {
      const [limits, models, spent] = await Promise.all([
        personal.ofEach(userIds),
        parts.offers.ofEach(userIds),
        store.spentByEach(userIds, windowMs),
      ]);
      return new Map(
        userIds.map((id) => [
          id,
          { limits: limits.get(id) ?? {}, models: models.get(id) ?? {}, spentUsd: spent.get(id) ?? 0 },
        ]),
      );
    },
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
