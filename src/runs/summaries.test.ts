import { expect, it } from "vitest";
import type { Compaction, DatedContext, Summary } from "../protocol/context.ts";
import type { Store } from "../protocol/store.ts";
import { summariesOf } from "./summaries.ts";

it("summaries are listed once each, as a person reads them", async () => {
  const compaction: Compaction = { messages: 2, tokensBefore: 90, tokensAfter: 10, reason: "window" };
  const context = (at: string, text?: string): DatedContext => ({
    id: at,
    at,
    sessionId: "s",
    messageId: "m",
    compaction,
    view: text === undefined ? {} : { summary: { text, messages: 4 } as Summary },
  });
  const framed = (text: string) => `<conversation_summary>\nNotes.\n\n${text}\n</conversation_summary>`;
  const contexts = [
    context("1"),
    context("2", framed("First.")),
    context("3", framed("First.")),
    context("4", framed("Second.")),
  ];
  const store = { listContexts: async () => contexts } as Partial<Store> as Store;
  const figures = { messages: 4, tokensBefore: 90, tokensAfter: 10, reason: "window" };
  expect(await summariesOf(store, "s")).toEqual([
    { createdAt: "2", ...figures, text: "First." },
    { createdAt: "4", ...figures, text: "Second." },
  ]);
});
