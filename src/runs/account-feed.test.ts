import { describe, expect, it, vi } from "vitest";
import type { AccountEvent } from "../protocol/account-events.ts";
import { reasoningDelta, contentDelta as said } from "../protocol/deltas.ts";
import type { ChatEvent } from "../protocol/events.ts";
import type { RunNotice } from "../protocol/notices.ts";
import type { EncodedEvent, Run } from "../protocol/run-records.ts";
import type { RunRequest } from "../protocol/run-request.ts";
import type { Store } from "../protocol/store.ts";
import { answerOf, doneEvent, openedRun, sessionEvent } from "../store/conformance/harness.ts";
import { createJournal } from "../store/journal.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import {
  type AnnounceParts,
  announceRun,
  awaitTitles,
  createAccountFeed,
  noticesWith,
} from "./account-feed.ts";

const REQUEST: RunRequest = {
  request: {},
  principal: { id: "ada", kind: "account" },
  model: "demo/demo",
  requestId: "req_1",
};
const CHILD: RunRequest = {
  ...REQUEST,
  child: {
    parentRunId: "run_0",
    parentCallId: "call",
    root: { id: "run_0", sessionId: "s" },
    depth: 1,
    situation: { outside: [], workspace: [], privateReads: [], suspicious: [], personTexts: [] },
    limits: {},
  },
};
const call = { toolCallId: "call", toolName: "pay" };
const ASKED: ChatEvent = {
  type: "tool_approval_required",
  ...call,
  arguments: {},
  argumentsHash: "hash",
  reason: "It changes something.",
  risk: "medium",
  expiresAt: "2030-01-01T00:00:00.000Z",
};
const QUESTION: ChatEvent = {
  type: "question_required",
  toolCallId: "call",
  question: "Which?",
  expiresAt: "2030-01-01T00:00:00.000Z",
};

/** A run of Ada that is announced, and what her account and others are told of it. */
async function announced(
  request: RunRequest = REQUEST,
  first: (run: Run) => AccountEvent[] = () => [],
  options: {
    answered?: boolean;
    continues?: boolean;
    title?: string | Error;
    store?: Partial<Store>;
    durable?: Promise<void>;
  } = {},
) {
  const { answered = false, continues = false, title = "Trip to Oslo", durable } = options;
  const real = await temporaryStore();
  const { tellAccount = real.tellAccount, ...changed } = options.store ?? {};
  let telling = 0;
  const store: Store = {
    ...real,
    ...changed,
    async tellAccount(...given) {
      telling++;
      try {
        await tellAccount(...given);
      } finally {
        telling--;
      }
    },
  };
  const run = await openedRun(real);
  const journal = createJournal(real);
  const log = journal.open(run, { events: [sessionEvent(run)], steps: [] });
  const begun = answered ? [{ seq: 2, event: said("I ") }] : [];
  const notices: RunNotice[] = [];
  const warned: unknown[] = [];
  const closing = new AbortController();
  const titles = new Set<Promise<void>>();
  let asked = 0;
  const parts: AnnounceParts = {
    store,
    journal,
    budgets: {
      limited: async () => false,
      ofPerson: async () => undefined,
      usedUp: async () => undefined,
    },
    askFor: () => async () => {
      asked++;
      if (title instanceof Error) throw title;
      const usage = { inputTokens: 0, outputTokens: 0 };
      return { text: title, parts: [], usage, model: "demo/small", cut: false };
    },
    notify: (notice) => notices.push(notice),
    log: { warn: (facts, message) => warned.push({ ...facts, message }) },
  };
  const stop = announceRun(
    parts,
    { run, request, log, recovered: { events: begun, steps: [], continues, durable } },
    first(run),
    closing.signal,
    titles,
  );
  let heard = 0;
  journal.listen(run.id, {
    committed(events) {
      heard += events.length;
    },
  });
  /** Emits events that stay apart, and waits until they were announced. */
  const emit = async (...events: ChatEvent[]) => {
    for (const event of events) {
      const before = heard;
      log.emit(event);
      if (event.type === "done") await log.finish({ status: "done", message: answerOf(run, [event]) });
      await vi.waitFor(() => expect(heard).toBeGreaterThan(before), { interval: 1, timeout: 5_000 });
    }
  };
  const told = async () => (await real.readAccount("ada", 0)).events.map(({ json }) => JSON.parse(json));
  const settled = async () => {
    await Promise.all(titles);
    do await new Promise(setImmediate);
    while (telling > 0);
  };
  return {
    store: real,
    run,
    log,
    stop,
    emit,
    told,
    notices,
    warned,
    closing,
    titles,
    settled,
    asked: () => asked,
  };
}

describe("an account", () => {
  it("is told what waits in its runs, what was decided, and that they ended", async () => {
    const { run, emit, told, notices, settled } = await announced();
    const place = { runId: run.id, sessionId: run.sessionId };
    await emit(ASKED, { type: "tool_approval_decided", ...call, decision: "once" });
    await emit(QUESTION, { type: "question_answered", toolCallId: "call", answer: "Both" });
    await emit({ type: "usage", inputTokens: 1, outputTokens: 1 }, doneEvent(run));
    await settled();
    const { arguments: _, ...asked } = ASKED as Extract<ChatEvent, { type: "tool_approval_required" }>;
    expect(await told()).toEqual([
      { ...asked, ...place },
      { type: "tool_approval_decided", toolCallId: "call", decision: "once", ...place },
      {
        type: "question_required",
        toolCallId: "call",
        question: "Which?",
        ...place,
        expiresAt: asked.expiresAt,
      },
      { type: "question_answered", toolCallId: "call", answer: "Both", ...place },
      { type: "run_ended", messageId: run.messageId, finishReason: "stop", ...place },
    ]);
    const about = { ...place, userId: "ada" };
    expect(notices).toEqual([
      { ...about, id: `msg_${run.id}_2`, kind: "waiting", toolCallId: "call", waitsFor: "approval" },
      { ...about, id: `msg_${run.id}_4`, kind: "waiting", toolCallId: "call", waitsFor: "question" },
      { ...about, id: `msg_${run.id}_7`, kind: "done", finishReason: "stop" },
    ]);
  });

  it("is told first what the run began with, once that is on disk", async () => {
    const onDisk = Promise.withResolvers<void>();
    const first = ({ sessionId, id: runId, messageId }: Run): AccountEvent[] => [
      { type: "session_created", sessionId, title: "Hi" },
      { type: "run_started", sessionId, runId, messageId },
    ];
    const { told, settled, run, emit } = await announced(REQUEST, first, { durable: onDisk.promise });
    await emit(doneEvent(run));
    await settled();
    expect(await told()).toEqual([]);
    onDisk.resolve();
    await settled();
    expect(await told()).toEqual([...first(run), expect.objectContaining({ type: "run_ended" })]);
  });

  it("is told nothing any more once that is stopped", async () => {
    const { stop, emit, run, settled, told, notices } = await announced();
    stop();
    await emit(doneEvent(run));
    await settled();
    expect(await told()).toEqual([]);
    expect(notices).toEqual([]);
  });

  it("is told nothing of a child run: what it asks comes up in the run that it works for", async () => {
    const { emit, run, settled, told, notices, stop, asked } = await announced(CHILD);
    await emit(said("Found."), ASKED, doneEvent(run));
    await settled();
    expect(await told()).toEqual([]);
    expect(notices).toEqual([]);
    expect(asked()).toBe(0);
    expect(stop()).toBeUndefined();
  });

  it("that cannot be told is in the log of the operator, unless the process ends", async () => {
    const away = new Error("the database is away");
    const failing = { tellAccount: () => Promise.reject(away) };
    const { emit, run, settled, warned, closing } = await announced(REQUEST, undefined, { store: failing });
    await emit(ASKED);
    await settled();
    expect(warned).toEqual([{ err: away, runId: run.id, message: "could not tell an account" }]);
    closing.abort();
    await emit(doneEvent(run));
    await settled();
    expect(warned).toHaveLength(1);
  });
});

describe("others", () => {
  it("are told that a run failed, and not that its owner stopped it", async () => {
    const failed = await announced();
    await failed.emit({ ...doneEvent(failed.run), finishReason: "error" });
    await failed.settled();
    expect(failed.notices).toMatchObject([{ kind: "failed", finishReason: "error" }]);
    const stopped = await announced();
    await stopped.emit({ ...doneEvent(stopped.run), finishReason: "cancelled" });
    await stopped.settled();
    expect(stopped.notices).toEqual([]);
    expect(await stopped.told()).toMatchObject([{ type: "run_ended", finishReason: "cancelled" }]);
  });

  it("are told nothing of what a client keeps itself", async () => {
    const throwaway = { ...REQUEST, request: { history: [] } };
    const { emit, run, settled, notices, told, asked } = await announced(throwaway);
    await emit(said("Hi."), ASKED, doneEvent(run));
    await settled();
    expect(notices).toEqual([]);
    expect(asked()).toBe(0);
    expect(await told()).toHaveLength(2);
  });

  it("have what they are told stored with its event", async () => {
    const run = await openedRun(await temporaryStore());
    const settingOf = (notice: RunNotice) => ({ name: notice.id, value: notice.kind });
    const encoded = (event: ChatEvent): EncodedEvent => ({ seq: 7, json: JSON.stringify(event) });
    const settingsOf = noticesWith(run, REQUEST, settingOf);
    expect(settingsOf?.(encoded(doneEvent(run)))).toEqual([{ name: `msg_${run.id}_7`, value: "done" }]);
    expect(settingsOf?.(encoded(said("done")))).toEqual([]);
    expect(settingsOf?.(encoded({ type: "tool_approval_decided", ...call, decision: "once" }))).toEqual([]);
    expect(noticesWith(run, CHILD, settingOf)?.(encoded(doneEvent(run)))).toEqual([]);
    expect(noticesWith(run, REQUEST, undefined)).toBeUndefined();
  });
});

describe("the title of a session", () => {
  it("is left alone by an answer to a later message", async () => {
    const { settled, asked, titles } = await announced(REQUEST, undefined, {
      answered: true,
      continues: true,
    });
    await settled();
    expect([asked(), titles.size]).toEqual([0, 0]);
  });

  it("is written once its first answer begins, and told in the run and to the account", async () => {
    const { emit, log, settled, told, asked, run, store, titles } = await announced();
    await emit(reasoningDelta("Hm."));
    expect(asked()).toBe(0);
    await emit(said("Take "));
    await emit(said("the train."));
    await settled();
    expect(asked()).toBe(1);
    expect(titles.size).toBe(0);
    const title = "Trip to Oslo";
    expect(log.state().title).toBe(title);
    expect(await told()).toEqual([{ type: "title", sessionId: run.sessionId, title }]);
    expect((await store.getSession(run.sessionId))?.title).toBe(title);
  });

  it("is written at once where the answer had begun before, and kept where none comes", async () => {
    const before = await announced(REQUEST, undefined, { answered: true });
    await before.settled();
    expect(before.asked()).toBe(1);
    const failing = await announced(REQUEST, undefined, { answered: true, title: new Error("away") });
    await failing.settled();
    expect(await failing.told()).toEqual([]);
    expect(failing.log.state().title).not.toBe("Trip to Oslo");
    expect(failing.warned).toEqual([]);
  });

  it("that cannot be stored is in the log of the operator", async () => {
    const away = new Error("the database is away");
    const { settled, warned, run, titles } = await announced(REQUEST, undefined, {
      answered: true,
      store: { titleSession: () => Promise.reject(away) },
    });
    await settled();
    expect(warned).toEqual([{ err: away, runId: run.id, message: "could not title a session" }]);
    expect(titles.size).toBe(0);
  });

  it("is waited for by a process that ends, for two seconds", async () => {
    await awaitTitles(new Set());
    let written = false;
    const soon = Promise.resolve().then(() => {
      written = true;
    });
    await awaitTitles(new Set([soon, Promise.reject(new Error("failed"))]));
    expect(written).toBe(true);
    const began = performance.now();
    await awaitTitles(new Set([new Promise<void>(() => {})]));
    expect(performance.now() - began).toBeGreaterThan(1_900);
  });
});

describe("following an account", () => {
  const renamed = (title: string): AccountEvent => ({ type: "session_renamed", sessionId: "s", title });

  async function followed(store: Store, after: number) {
    await store.getSession("s");
    const seen: [number, unknown][] = [];
    const leave = new AbortController();
    const following = createAccountFeed(store).follow(
      "ada",
      after,
      (events) => {
        for (const { seq, json } of events) seen.push([seq, JSON.parse(json)]);
      },
      leave.signal,
    );
    const isReady = () => seen.some(([, event]) => (event as AccountEvent).type === "ready");
    await vi.waitFor(() => expect(isReady()).toBe(true));
    return {
      seen,
      async left() {
        leave.abort();
        await following;
      },
    };
  }

  async function withSession() {
    const store = await temporaryStore();
    await store.createSession({ id: "s", userId: "ada", title: "" });
    return store;
  }

  it("starts now, and goes on with what happens, numbered from 2 on", async () => {
    const store = await withSession();
    await store.tellAccount("ada", renamed("before"));
    const { seen, left } = await followed(store, 0);
    await store.tellAccount("ada", renamed("one"), renamed("two"));
    await vi.waitFor(() => expect(seen).toHaveLength(3));
    await store.tellAccount("ada", renamed("three"));
    await vi.waitFor(() => expect(seen).toHaveLength(4));
    await left();
    expect(seen).toEqual([
      [2, { type: "ready" }],
      [3, renamed("one")],
      [4, renamed("two")],
      [5, renamed("three")],
    ]);
  });

  it("goes on where a client left, and says when everything was sent", async () => {
    const store = await withSession();
    await store.tellAccount("ada", renamed("one"), renamed("two"), renamed("three"));
    const { seen, left } = await followed(store, 2);
    await left();
    expect(seen).toEqual([
      [3, renamed("two")],
      [4, renamed("three")],
      [4, { type: "ready" }],
    ]);
    const atEnd = await followed(store, 4);
    await atEnd.left();
    expect(atEnd.seen).toEqual([[4, { type: "ready" }]]);
  });

  it("asks a client to load again where events are gone, or were never there", async () => {
    const store = await withSession();
    await store.tellAccount("ada", renamed("one"), renamed("two"), renamed("three"));
    const ahead = await followed(store, 9);
    await ahead.left();
    expect(ahead.seen).toEqual([
      [4, { type: "reload" }],
      [4, { type: "ready" }],
    ]);
    const gone: Store = {
      ...store,
      async readAccount(userId, after) {
        const page = await store.readAccount(userId, after);
        return { ...page, events: page.events.filter(({ seq }) => seq > 2) };
      },
    };
    const behind = await followed(gone, 2);
    await behind.left();
    expect(behind.seen).toEqual([
      [4, { type: "reload" }],
      [4, { type: "ready" }],
    ]);
  });

  it("misses nothing that is told while it reads, and stops watching in the end", async () => {
    const store = await withSession();
    let watches = 0;
    let reads = 0;
    const busy: Store = {
      ...store,
      watchAccount(...given) {
        watches++;
        const stop = store.watchAccount(...given);
        return () => {
          watches--;
          stop();
        };
      },
      async readAccount(userId, after) {
        const page = await store.readAccount(userId, after);
        if (++reads === 2) await store.tellAccount("ada", renamed("meanwhile"));
        return page;
      },
    };
    const { seen, left } = await followed(busy, 0);
    await vi.waitFor(() => expect(seen).toHaveLength(2));
    expect(watches).toBe(1);
    await left();
    expect(watches).toBe(0);
    expect(seen[1]).toEqual([2, renamed("meanwhile")]);
  });

  it("reads again every five seconds, because a wake-up can be lost", async () => {
    vi.useFakeTimers();
    try {
      let reads = 0;
      const store = {
        watchAccount: () => () => {},
        readAccount: async () => ({ newest: 0, events: [], reads: ++reads }),
      } as Partial<Store> as Store;
      const leave = new AbortController();
      const following = createAccountFeed(store).follow("ada", 0, () => {}, leave.signal);
      await vi.advanceTimersByTimeAsync(4_999);
      expect(reads).toBe(2);
      await vi.advanceTimersByTimeAsync(1);
      expect(reads).toBe(3);
      leave.abort();
      await following;
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
