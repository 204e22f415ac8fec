import { setTimeout as pause } from "node:timers/promises";
import type { Failure } from "../protocol/failure.ts";
import type { Store } from "../protocol/store.ts";

export interface ReadinessParts {
  store: Pick<Store, "putSetting">;
  /** The default model. */
  model(): string;
  cleanError(thrown: unknown): Failure;
  /** Reaches out to everything outside that is configured. */
  reachAll(): Promise<readonly { name: string; ok: boolean; detail: string; fix?: string }[]>;
}

export interface Readiness {
  ok: boolean;
  checks: Record<string, string>;
}

/** Load balancers ask often, and each check is two writes. */
const FRESH_MS = 1_000;
/** Anybody may ask, and each deep check sends requests to others. */
const DEEP_FRESH_MS = 15_000;
const PATIENCE_MS = 3_000;
const PROBE = "readiness";

/** Checks whether the server can take work by writing and removing a row; `deep` also reaches out to other services. */
export function createReadiness({
  store,
  model,
  cleanError,
  reachAll,
}: ReadinessParts): (deep?: boolean) => Promise<Readiness> {
  async function write(): Promise<string> {
    try {
      await store.putSetting("", PROBE, true);
      await store.putSetting("", PROBE, undefined);
      return "ok";
    } catch (thrown) {
      return cleanError(thrown).publicMessage;
    }
  }

  async function checkOwn(): Promise<Readiness> {
    const late = new AbortController();
    const silence = pause(PATIENCE_MS, "The database does not answer.", { ref: false, signal: late.signal });
    const said = await Promise.race([write(), silence.catch(() => "")]);
    late.abort();
    return { ok: said === "ok", checks: { store: said, model: model() } };
  }

  async function checkAll(): Promise<Readiness> {
    const [own, others] = await Promise.all([shallow(), reachAll()]);
    const checks = { ...own.checks };
    for (const { name, ok, detail, fix } of others)
      checks[name] = ok ? "ok" : [detail, fix].filter(Boolean).join(". ");
    return { ok: own.ok && others.every(({ ok }) => ok), checks };
  }

  const shallow = fresh(FRESH_MS, checkOwn);
  const deep = fresh(DEEP_FRESH_MS, checkAll);
  return (wanted) => (wanted ? deep() : shallow());
}

/** Returns a function that gives the same answer for a while. */
function fresh<Answer>(milliseconds: number, ask: () => Promise<Answer>): () => Promise<Answer> {
  let latest: { at: number; answer: Promise<Answer> } | undefined;
  return () => {
    const now = performance.now();
    if (!latest || now - latest.at > milliseconds) latest = { at: now, answer: ask() };
    return latest.answer;
  };
}
