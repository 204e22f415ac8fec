import { createHash } from "node:crypto";
import { z } from "zod";
import { containedFetch } from "../contain/fetch.ts";
import { checkUrl } from "../contain/fetch-url.ts";
import { type Backoff, backoffMs, waitFor } from "../protocol/abortable.ts";
import { Failure } from "../protocol/failure.ts";
import type { Json } from "../protocol/json.ts";
import { type Push, type PushListing, pushListing, type RunNotice } from "../protocol/notices.ts";
import type { Store } from "../protocol/store.ts";
import { areKeys, encryptPush, serverKeys, vapidHeader } from "./encrypt-push.ts";

const SETTING = "push:";
/** Browsers of one person. A new one replaces the oldest. */
const MAX_SUBSCRIPTIONS = 10;
const MAX_TITLE = 120;
const TTL_SECONDS = 24 * 3_600;
const ATTEMPTS = 3;
const WAITS: Backoff = { firstMs: 2_000 };

const subscription = pushListing.extend({ keys: z.object({ p256dh: z.string(), auth: z.string() }) });
type Subscription = z.infer<typeof subscription>;

export interface PushParts {
  store: Pick<Store, "getSettings" | "putSetting" | "getSession">;
  /** 32 bytes of the server's secret. */
  key: Buffer;
  /** `host:port` of push services that may be private and without TLS: for tests and closed networks. */
  allow: readonly string[];
  /** Where push services can reach the operator. */
  subject: string;
  log: { warn(facts: object, message: string): void };
}

/** Creates the notices to browsers. `send` must not throw. */
export function createPush(parts: PushParts): Push & { send(notice: RunNotice): Promise<void> } {
  const keys = serverKeys(parts.key);
  const { store, allow } = parts;

  async function read(userId: string): Promise<Subscription[]> {
    const stored = Object.entries(await store.getSettings(userId));
    const found = stored.filter(([name]) => name.startsWith(SETTING));
    const parsed = found.map(([, value]) => subscription.safeParse(value));
    return parsed
      .flatMap((one) => (one.success ? [one.data] : []))
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  const remove = (userId: string, id: string) => store.putSetting(userId, SETTING + id, undefined);

  /** Throws INVALID_INPUT unless it is a public https address, or one that the operator allows. */
  function check(endpoint: string): void {
    const target = checkUrl(endpoint, { allow });
    const isNamed = !/^[\d.]+$|:/.test(target.hostname);
    if (!target.allowed && !(target.url.protocol === "https:" && isNamed))
      throw new Failure("INVALID_INPUT", "endpoint: push services have https addresses with a name.");
  }

  async function deliver(userId: string, to: Subscription, text: string, urgent: boolean): Promise<void> {
    check(to.endpoint);
    for (let attempt = 1; ; attempt++) {
      const { status } = await containedFetch(to.endpoint, {
        allow,
        requestBody: encryptPush(text, to.keys),
        headers: {
          "content-type": "application/octet-stream",
          "content-encoding": "aes128gcm",
          ttl: String(TTL_SECONDS),
          urgency: urgent ? "high" : "normal",
          authorization: vapidHeader(to.endpoint, keys, parts.subject),
        },
        maxBytes: 64_000,
      });
      if (status === 404 || status === 410) return void (await remove(userId, to.id));
      if (status < 400) return;
      if (attempt === ATTEMPTS || (status < 500 && status !== 429))
        return parts.log.warn({ status, userId }, "a push service refused a notice");
      await waitFor(backoffMs(attempt, WAITS));
    }
  }

  return {
    publicKey: keys.publicKey,
    list: async (userId) => (await read(userId)).map(listed),
    async subscribe(userId, { endpoint, keys: own, kinds, titles }) {
      check(endpoint);
      if (!areKeys(own))
        throw new Failure("INVALID_INPUT", "keys: these are not the keys of a subscription.");
      const id = createHash("sha256").update(endpoint).digest("hex").slice(0, 24);
      const before = (await read(userId)).filter((other) => other.id !== id);
      for (const old of before.slice(0, Math.max(0, before.length - MAX_SUBSCRIPTIONS + 1)))
        await remove(userId, old.id);
      const made: Subscription = {
        id,
        endpoint,
        keys: own,
        kinds,
        titles,
        createdAt: new Date().toISOString(),
      };
      await store.putSetting(userId, SETTING + id, made as Json);
      return listed(made);
    },
    async unsubscribe(userId, endpoint) {
      for (const one of await read(userId))
        if (endpoint === undefined || one.endpoint === endpoint) await remove(userId, one.id);
    },
    async send({ kind, userId, sessionId, waitsFor }) {
      try {
        const wanted = (await read(userId)).filter(({ kinds }) => kinds.includes(kind));
        if (wanted.length === 0) return;
        const title = (await store.getSession(sessionId))?.title.slice(0, MAX_TITLE);
        const sent = wanted.map((to) => {
          const notice = { kind, sessionId, waitsFor, ...(to.titles ? { title } : {}) };
          return deliver(userId, to, JSON.stringify(notice), kind === "waiting");
        });
        for (const result of await Promise.allSettled(sent))
          if (result.status === "rejected") throw result.reason;
      } catch (thrown) {
        parts.log.warn({ err: thrown, userId }, "could not push a notice");
      }
    },
  };
}

function listed({ id, endpoint, kinds, titles, createdAt }: Subscription): PushListing {
  return { id, endpoint, kinds, titles, createdAt };
}
