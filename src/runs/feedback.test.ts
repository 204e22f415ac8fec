import { expect, it } from "vitest";
import { textMessage } from "../protocol/messages.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { feedbackFrom, giveFeedback } from "./feedback.ts";

const ada = { id: "ada", kind: "account" } as const;

it("a person rates answers in their own sessions, and can take that back", async () => {
  const store = await temporaryStore();
  await store.importSession({
    id: "ses_s",
    userId: "ada",
    title: "",
    headId: "b",
    messages: [
      textMessage("q", "user", "Hi"),
      { ...textMessage("a", "assistant", "Hello."), parentId: "q", model: "some/model" },
      { ...textMessage("b", "assistant", "Hey."), parentId: "a" },
    ],
  });
  const kept = async () =>
    (await store.listFeedback("ses_s", "ada")).map(({ messageId, model, value, note }) => ({
      messageId,
      model,
      value,
      note,
    }));
  await giveFeedback(store, ada, "a", { value: 1, note: "Nice." });
  await giveFeedback(store, ada, "b", { value: -1 });
  expect(await kept()).toEqual(
    expect.arrayContaining([
      { messageId: "a", model: "some/model", value: 1, note: "Nice." },
      { messageId: "b", model: "", value: -1, note: undefined },
    ]),
  );
  await giveFeedback(store, ada, "a", undefined);
  expect(await kept()).toHaveLength(1);
  await expect(giveFeedback(store, ada, "q", { value: 1 })).rejects.toMatchObject({
    code: "INVALID_INPUT",
    publicMessage: "Only answers can be rated. This message is your own.",
  });
  await expect(giveFeedback(store, ada, "none", { value: 1 })).rejects.toMatchObject({
    code: "NOT_FOUND",
    publicMessage: "There is no such message.",
  });
  const eve = { ...ada, id: "eve" };
  await expect(giveFeedback(store, eve, "a", { value: 1 })).rejects.toMatchObject({ code: "FORBIDDEN" });
});

it("an empty note is none", () => {
  expect(feedbackFrom({ value: 1, note: "" })).toEqual({ value: 1 });
  expect(feedbackFrom({ value: -1, note: "No." })).toEqual({ value: -1, note: "No." });
});
