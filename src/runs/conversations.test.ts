import { describe, expect, it } from "vitest";
import type { Principal } from "../protocol/principal.ts";
import { eventsOf, startTackle } from "./testing/tackle.ts";

const ada: Principal = { id: "ada", kind: "account" };
const eve: Principal = { id: "eve", kind: "account" };
const guest: Principal = { id: "guest", kind: "guest" };
const item = (id: string, text = id) => ({ id, item: { type: "message", text } });

async function start() {
  const { turnsFor, chatFor, internals } = await startTackle();
  return { of: (who: Principal) => turnsFor(who).conversations, chatFor, store: internals.store };
}

describe("a conversation of a client", () => {
  it("is a session with a name, which its owner finds under both", async () => {
    const { of, chatFor } = await start();
    const made = await of(ada).create({ topic: "birds" }, []);
    expect(made).toMatchObject({ id: expect.stringMatching(/^conv_/), metadata: { topic: "birds" } });
    expect(await chatFor(ada).listSessions()).toMatchObject([
      { id: made.sessionId, name: made.id, title: "New session" },
    ]);
    expect(await of(ada).find(made.id)).toEqual(made);
    expect((await of(ada).find(made.sessionId))?.id).toBe(made.id);
    await of(ada).update(made, { topic: "goats" });
    expect((await of(ada).find(made.id))?.metadata).toEqual({ topic: "goats" });
    const { id } = await chatFor(ada).createSession();
    expect(await of(ada).find(id)).toMatchObject({ id, sessionId: id, metadata: {} });
  });

  it("is nobody else's, and gone when it is removed", async () => {
    const { of, chatFor } = await start();
    const made = await of(ada).create({}, []);
    expect(await of(eve).find(made.id)).toBeUndefined();
    expect(await of(eve).find(made.sessionId)).toBeUndefined();
    expect(await of(ada).find("ses_none")).toBeUndefined();
    await of(ada).remove(made);
    expect(await of(ada).find(made.id)).toBeUndefined();
    expect(await chatFor(ada).listSessions()).toEqual([]);
    await of(ada).remove(made);
  });

  it("holds items and turns in the order of their times, and knows what was removed", async () => {
    const { of, chatFor } = await start();
    const conversations = of(ada);
    const made = await conversations.create({}, []);
    expect(await conversations.isEdited(made)).toBe(false);
    await conversations.add(made, [item("first"), item("second"), item("third"), item("fourth")]);
    await eventsOf(chatFor(ada), { sessionId: made.sessionId, message: "Hi" });
    await conversations.add(made, []);
    await conversations.add(made, [item("last")]);
    await conversations.removeItem(made, "second");
    await conversations.removeItem(made, "of_a_turn");
    expect(await conversations.isEdited(made)).toBe(true);
    const { entries, removed } = await conversations.entries(made);
    expect(entries.map((entry) => ("turn" in entry ? "turn" : entry))).toEqual([
      item("first"),
      item("third"),
      item("fourth"),
      "turn",
      item("last"),
    ]);
    expect(removed).toEqual(new Set(["of_a_turn"]));
  });

  it("that would hold too much is not made", async () => {
    const { of, chatFor } = await start();
    const many = Array.from({ length: 501 }, (_, index) => item(`i${index}`));
    const full = {
      code: "STORAGE_FULL",
      message: "A conversation can hold 500 items of a client's, and 250 kB of them.",
    };
    await expect(of(guest).create({}, many)).rejects.toMatchObject(full);
    expect(await chatFor(guest).listSessions()).toEqual([]);
    const made = await of(guest).create({}, many.slice(1));
    await expect(of(guest).add(made, [item("more")])).rejects.toMatchObject(full);
    await of(ada).create({}, many);
  });

  it("counts as one of a guest's conversations", async () => {
    const { of, store } = await start();
    for (let count = 0; count < 99; count++)
      await store.createSession({ id: `ses_${count}`, userId: "guest", title: "" });
    await of(guest).create({}, []);
    await expect(of(guest).create({}, [])).rejects.toMatchObject({ code: "STORAGE_FULL" });
  });
});
