import { setTimeout as pause } from "node:timers/promises";
import type { Failure } from "../protocol/failure.ts";
import type { Store } from "../protocol/store.ts";

export interface ReadinessParts {
  store: Pick<Store, "putSetting">;
  /** The default model. */
  model(): string;
  cleanError(thrown: unknown): Failure;
}

export interface Readiness {
  ok: boolean;
  checks: Record<string, string>;
}

/** Load balancers ask often, and each check is two writes. */
const FRESH_MS = 1_000;
const PATIENCE_MS = 3_000;
const PROBE = "readiness";

/** Checks whether the server can take work by writing and removing a row. */
export function createReadiness({ store, model, cleanError }: ReadinessParts): () => Promise<Readiness> {
  let latest: { at: number; answer: Promise<Readiness> } | undefined;

  async function write(): Promise<string> {
    try {
      await store.putSetting("", PROBE, true);
      await store.putSetting("", PROBE, undefined);
      return "ok";
    } catch (thrown) {
      return cleanError(thrown).publicMessage;
    }
  }

  async function look(): Promise<Readiness> {
    const late = new AbortController();
    const silence = pause(PATIENCE_MS, "The database does not answer.", { ref: false, signal: late.signal });
    const said = await Promise.race([write(), silence.catch(() => "")]);
    late.abort();
    return { ok: said === "ok", checks: { store: said, model: model() } };
  }

  return () => {
    const now = performance.now();
    if (!latest || now - latest.at > FRESH_MS) latest = { at: now, answer: look() };
    return latest.answer;
  };
}
