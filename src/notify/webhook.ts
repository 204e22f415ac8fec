import { createHmac } from "node:crypto";
import { z } from "zod";
import { containedFetch } from "../contain/fetch.ts";
import { type Backoff, backoffMs } from "../protocol/abortable.ts";
import type { RunNotice } from "../protocol/notices.ts";
import type { CausedSetting } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";

const SETTING = "webhook:";
/** The server's own settings. */
const SERVER = "";
const WAITS: Backoff = { firstMs: 1_000, maxMs: 10 * 60_000 };
/** Another instance takes over what is this late. */
const TAKE_OVER_MS = 30_000;
const GIVE_UP_MS = 3 * 24 * 3_600_000;
const MOST_UNSENT = 10_000;
/** Requests at the same time, so that a service that hangs does not take up all connections. */
const MOST_REQUESTS = 16;

const entry = z.object({
  id: z.string(),
  body: z.string(),
  createdAt: z.number(),
  attempts: z.number(),
  dueAt: z.number(),
});
type Entry = z.infer<typeof entry>;

export interface WebhookParts {
  store: Pick<Store, "getSettings" | "putSetting">;
  url: string;
  secret: string | undefined;
  log: { warn(facts: object, message: string): void };
}

const TYPES = { done: "run.ended", failed: "run.failed" } as const;

/**
 * Tells the operator's own service what happens, at least once: a notice is stored in the transaction of the event that it is
 * about, and removed when the service has accepted it.
 */
export function createWebhook({ store, url, secret, log }: WebhookParts) {
  const { hostname, port, protocol } = new URL(url);
  const allow = [`${hostname}:${port || (protocol === "https:" ? 443 : 80)}`];
  const timers = new Set<NodeJS.Timeout>();
  /** Notices that are being committed. */
  const unsent = new Map<string, Entry>();
  const sending = new Map<string, Promise<void>>();
  let requests = 0;
  const waiting: (() => void)[] = [];
  let isFailing = false;
  let closed = false;

  /** Sends a notice when its turn comes, unless that is under way. */
  function attempt(one: Entry): Promise<void> {
    const work = sending.get(one.id) ?? inTurn(one).finally(() => sending.delete(one.id));
    sending.set(one.id, work);
    return work;
  }

  async function inTurn(one: Entry): Promise<void> {
    if (requests >= MOST_REQUESTS) await new Promise<void>((go) => waiting.push(go));
    requests++;
    await tryToSend(one).finally(() => {
      requests--;
      waiting.shift()?.();
    });
  }

  async function tryToSend(one: Entry): Promise<void> {
    if (closed) return;
    let status: number | undefined;
    const problem = await containedFetch(url, {
      allow,
      requestBody: one.body,
      headers: { "content-type": "application/json", ...signatureOf(one, secret) },
      maxBytes: 64_000,
      inspect: (head) => {
        status = head.status;
      },
    }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    // A receiver that answered with 2xx has the notice, whatever else the answer says.
    if (status !== undefined && status >= 200 && status < 300) {
      isFailing = false;
      return store.putSetting(SERVER, SETTING + one.id, undefined);
    }
    if (!isFailing) log.warn({ id: one.id, status, err: problem }, "the webhook does not accept notices");
    isFailing = true;
    if (Date.now() - one.createdAt > GIVE_UP_MS) {
      log.warn({ id: one.id, status }, "gave up on a webhook notice");
      return store.putSetting(SERVER, SETTING + one.id, undefined);
    }
    const attempts = one.attempts + 1;
    const wait = backoffMs(attempts, WAITS);
    const next = { ...one, attempts, dueAt: Date.now() + wait + TAKE_OVER_MS };
    await store.putSetting(SERVER, SETTING + one.id, next);
    later(wait, () => attempt(next));
  }

  /** Sends what an earlier process, or another that has ended, has left. */
  async function sweep(all: boolean): Promise<void> {
    for (const [name, value] of Object.entries(await store.getSettings(SERVER))) {
      const found = name.startsWith(SETTING) ? entry.safeParse(value) : undefined;
      if (found?.success && (all || found.data.dueAt < Date.now())) await attempt(found.data);
    }
  }

  function later(ms: number, work: () => Promise<void>): void {
    if (closed) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      work().catch((thrown: unknown) => log.warn({ err: thrown }, "could not send a webhook notice"));
    }, ms);
    timer.unref();
    timers.add(timer);
  }

  function sweepAgain(all: boolean): void {
    later(all ? 0 : TAKE_OVER_MS, () => sweep(all).finally(() => sweepAgain(false)));
  }
  sweepAgain(true);

  return {
    /** Returns what is stored together with the event that a notice is about. */
    settingOf(notice: RunNotice): CausedSetting {
      const one = entryOf(notice);
      unsent.set(one.id, one);
      // What was never committed is not sent either.
      for (const id of [...unsent.keys()].slice(0, Math.max(0, unsent.size - MOST_UNSENT))) unsent.delete(id);
      return { name: SETTING + one.id, value: one };
    },
    /** Sends a notice that is stored. One that is not known here any more is found by the next sweep. */
    send({ id }: RunNotice): void {
      const one = unsent.get(id);
      if (!one || !unsent.delete(id)) return;
      later(0, () => attempt(one));
    },
    close() {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function entryOf({
  id,
  kind,
  userId,
  sessionId,
  runId,
  waitsFor,
  toolCallId,
  finishReason,
}: RunNotice): Entry {
  const createdAt = Date.now();
  const type = kind === "waiting" ? (`${waitsFor ?? "approval"}.required` as const) : TYPES[kind];
  const timestamp = new Date(createdAt).toISOString();
  const data = { userId, sessionId, runId, toolCallId, finishReason };
  const body = JSON.stringify({ id, type, timestamp, data });
  return { id, body, createdAt, attempts: 0, dueAt: createdAt + TAKE_OVER_MS };
}

/** Returns the headers of the Standard Webhooks specification. Each attempt is signed with its own time. */
function signatureOf({ id, body }: Entry, secret: string | undefined): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (secret === undefined) return headers;
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { ...headers, "webhook-signature": `v1,${signature}` };
}
