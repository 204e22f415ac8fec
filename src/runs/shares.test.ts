import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Failure } from "../protocol/failure.ts";
import { emptyRun } from "../protocol/reduce.ts";
import {
  BLOCKS,
  call,
  DAY,
  file,
  KEY,
  SECRET,
  shareableConversation,
  text,
} from "./testing/shareable-conversation.ts";

const eve = { id: "eve", kind: "account" } as const;
const tokenOf = ({ path }: { path: string }) => path.replace("/s/", "");
const goneSentence = "This link doesn’t work anymore. It may have ended, or somebody stopped sharing.";

describe("a link", () => {
  it("follows from its id and the server's key, ends in 30 days, and keeps steps and files back", async () => {
    const { hers } = await shareableConversation();
    const link = await hers.share("ses_s", {});
    const token = createHmac("sha256", KEY).update(`share ${link.id}`).digest("base64url").slice(0, 32);
    expect(link).toEqual({
      id: expect.stringMatching(/^shr_/),
      sessionId: "ses_s",
      path: `/s/${token}`,
      createdAt: expect.any(String),
      copiedAt: expect.any(String),
      expiresAt: expect.any(String),
      title: "About [key]",
      messages: 2,
      artifacts: 1,
      keys: 1,
      steps: false,
      files: false,
      hideKeys: true,
    });
    expect(Date.parse(link.expiresAt) - Date.parse(link.createdAt)).toBe(30 * 24 * 60 * 60_000);
    expect(await hers.list()).toEqual([link]);
    expect(await hers.get(link.id)).toEqual(link);
  });

  it("shows what was made without how, and nothing that is only the owner's business", async () => {
    const { hers, shares } = await shareableConversation();
    const link = await hers.share("ses_s", { days: 1 });
    const token = tokenOf(link);
    const { messages, ...page } = await shares.read(token);
    expect(page).toEqual({
      title: "About [key]",
      by: "Ada",
      sharedAt: link.createdAt,
      expiresAt: link.expiresAt,
    });
    expect(messages[0]).toEqual({ role: "user", content: "My key is [key].", createdAt: DAY });
    expect(messages[1]).toEqual({
      role: "assistant",
      content: "Here.",
      createdAt: DAY,
      model: "some/model",
      state: {
        ...emptyRun(),
        model: "some/model",
        text: "Here.",
        finishReason: "stop",
        notices: [{ at: 0, event: { type: "user_message", messageId: "2", text: "Hurry.", when: "now" } }],
        blocks: [
          {
            type: "tool",
            call: {
              ...call,
              toolCallId: "made",
              toolName: "generate_artifact",
              arguments: {},
              artifact: {
                artifactId: "art_1",
                artifactType: "html",
                title: "Page",
                code: "<p>Hi</p>",
                complete: true,
                version: 3,
                previewUrl: `/s/${token}/artifacts/made`,
                issues: [],
              },
            },
          },
          {
            type: "tool",
            call: {
              ...call,
              toolCallId: "drew",
              toolName: "generate_image",
              arguments: {},
              image: {
                imageUrl: `/s/${token}/files/file_made`,
                mimeType: "image/png",
                storageSucceeded: true,
                degradedMode: false,
              },
            },
          },
          text("Here."),
        ],
      },
    });
  });

  it("shows steps, files and keys to those whom the owner lets see them", async () => {
    const { hers, shares } = await shareableConversation();
    const link = await hers.share("ses_s", { steps: true, files: true, hideKeys: false });
    const { title, messages } = await shares.read(tokenOf(link));
    expect(title).toBe(`About ${SECRET}`);
    expect(messages[0]).toMatchObject({
      content: `My key is ${SECRET}.`,
      attachments: [{ fileId: "file_sent", mimeType: "text/plain", name: "a.txt" }],
    });
    const [reasoning, looked] = messages[1]?.state?.blocks ?? [];
    expect(reasoning).toEqual(BLOCKS[0]);
    expect(looked).toEqual({
      type: "tool",
      call: {
        ...call,
        toolCallId: "looked",
        toolName: "web_fetch",
        arguments: { url: "https://a.example" },
        output: "A page.",
        latencyMs: 7,
      },
    });
    expect(messages[1]?.state?.todo).toEqual([{ text: "Look", state: "done" }]);
    expect(messages[1]?.state?.notices?.[0]?.at).toBe(2);
  });

  it("that does not exist, was removed, or belongs to a suspended person says the same", async () => {
    let suspended: unknown;
    const { hers, shares } = await shareableConversation({
      admit: async () => {
        if (suspended) throw suspended;
      },
    });
    const link = await hers.share("ses_s", {});
    const token = tokenOf(link);
    const gone = { code: "NOT_FOUND", message: goneSentence };
    for (const wrong of ["", `${token}x`, `x${token}`, "A".repeat(32)])
      await expect(shares.read(wrong), wrong).rejects.toMatchObject(gone);
    suspended = new Failure("FORBIDDEN", "Suspended.");
    await expect(shares.read(token)).rejects.toMatchObject(gone);
    suspended = new Failure("INTERNAL", "The database is away.");
    await expect(shares.read(token)).rejects.toBe(suspended);
    suspended = undefined;
    expect(await hers.remove(link.id)).toEqual(link);
    await expect(shares.read(token)).rejects.toMatchObject(gone);
    expect(await hers.list()).toEqual([]);
  });

  it("is its owner's alone", async () => {
    const { hers, shares } = await shareableConversation();
    const { id } = await hers.share("ses_s", {});
    const theirs = shares.of(eve);
    expect(await theirs.list()).toEqual([]);
    for (const attempt of [theirs.get(id), theirs.remove(id), theirs.change(id, {})])
      await expect(attempt).rejects.toMatchObject({
        code: "FORBIDDEN",
        message: "This link belongs to somebody else.",
      });
    for (const attempt of [theirs.share("ses_s", {}), theirs.preview("ses_s")])
      await expect(attempt).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(hers.get("shr_none")).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: "There is no such link.",
    });
  });

  it("opens the files of its copy, and no others", async () => {
    const { hers, shares } = await shareableConversation();
    const token = tokenOf(await hers.share("ses_s", {}));
    expect(await shares.file(token, "file_made")).toBe(file);
    for (const other of ["file_sent", "file_else"])
      await expect(shares.file(token, other)).rejects.toMatchObject({
        code: "NOT_FOUND",
        message: "This file was deleted.",
      });
    const stranger = await shareableConversation({
      files: { get: async () => ({ ...file, userId: "bob" }) },
    });
    const theirs = tokenOf(await stranger.hers.share("ses_s", {}));
    await expect(stranger.shares.file(theirs, "file_made")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("opens the artifacts of its copy under an id of the copy", async () => {
    const { hers, shares, shown } = await shareableConversation();
    const link = await hers.share("ses_s", {});
    await shares.artifact(tokenOf(link), "made", "https://frames.example");
    expect(shown).toEqual([
      {
        artifact: {
          id: expect.stringMatching(new RegExp(`^${link.id}-[\\w-]{16}$`)),
          userId: "ada",
          version: 3,
          createdAt: "",
          type: "html",
          title: "Page",
          code: "<p>Hi</p>",
          issues: [],
        },
        origin: "https://frames.example",
      },
    ]);
    await expect(shares.artifact(tokenOf(link), "looked", "")).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: "There is no such page.",
    });
  });

  it("can be changed: how long it works, what it shows, and up to where", async () => {
    const { hers, shares, store } = await shareableConversation();
    const link = await hers.share("ses_s", { steps: true });
    expect(await hers.change(link.id, { hideKeys: false })).toMatchObject({
      steps: true,
      hideKeys: false,
      expiresAt: link.expiresAt,
    });
    const longer = await hers.change(link.id, { days: 90 });
    expect(Date.parse(longer.expiresAt) - Date.parse(link.expiresAt)).toBeGreaterThan(59 * 24 * 60 * 60_000);
    await store.showMessage("ses_s", "m3");
    expect(await hers.get(link.id)).toMatchObject({ messages: 2, outdated: true });
    expect((await hers.preview("ses_s")).shares).toMatchObject([{ id: link.id, outdated: true }]);
    expect(await hers.change(link.id, { files: true })).toMatchObject({ messages: 2, outdated: true });
    expect((await shares.read(tokenOf(link))).messages[1]?.content).toBe("Here.");
    expect(await hers.change(link.id, { update: true })).not.toHaveProperty("outdated");
    const { messages, sharedAt } = await shares.read(tokenOf(link));
    expect(messages[1]?.content).toBe("Another version.");
    expect(sharedAt).toBe(link.createdAt);
  });

  it("can be continued by its reader, with artifacts as code", async () => {
    const { hers, shares, store } = await shareableConversation();
    const token = tokenOf(await hers.share("ses_s", {}));
    const session = await shares.of(eve).continue(token);
    expect(session).toMatchObject({ userId: "eve", title: "About [key]" });
    const messages = await store.listMessages(session.id);
    expect(messages.map(({ role, parts, model }) => ({ role, said: parts[0], model }))).toMatchObject([
      { role: "user", said: text("My key is [key].") },
      { role: "assistant", said: text("Here.\n\n```html\n<p>Hi</p>\n```"), model: "some/model" },
    ]);
    expect(messages.map(({ parentId }) => parentId)).toEqual([undefined, messages[0]?.id]);
  });

  it.each([
    [{ artifactType: "react" }, "```tsx\n"],
    [{ artifactType: "code", language: "rust" }, "```rust\n"],
    [{}, "```\n"],
  ])("is continued with the language of its code, as far as that is known: %j", async (kind, fence) => {
    const { shares, hers, store } = await shareableConversation();
    const [artifact] = BLOCKS.filter((block) => block.type === "tool" && block.call.artifact?.complete);
    if (artifact?.type !== "tool") throw new Error("There is no artifact.");
    const { artifactType: _, ...made } = artifact.call.artifact ?? {};
    const blocks = [{ ...artifact, call: { ...artifact.call, artifact: { ...made, ...kind } } }];
    const state = { ...emptyRun(), text: "", blocks, finishReason: "stop" };
    const messages = [
      { id: "q", role: "user", parts: [text("Make it.")] },
      { id: "a", parentId: "q", role: "assistant", parts: [text("Here.")], state },
    ];
    await store.importSession({ id: "ses_a", userId: "ada", title: "", headId: "a", messages } as Parameters<
      typeof store.importSession
    >[0]);
    const session = await shares.of(eve).continue(tokenOf(await hers.share("ses_a", {})));
    const answer = (await store.listMessages(session.id)).at(-1);
    expect(answer?.parts[0]).toMatchObject({ text: expect.stringContaining(`\n\n${fence}<p>Hi</p>`) });
  });
});

describe("sharing", () => {
  it("says beforehand what a copy would show", async () => {
    const { hers } = await shareableConversation();
    const link = await hers.share("ses_s", {});
    expect(await hers.preview("ses_s")).toEqual({
      messages: 2,
      artifacts: 1,
      keys: 1,
      files: ["text/plain"],
      hasSteps: true,
      shares: [link],
    });
  });

  it("is refused for an empty conversation, and for one that is too long", async () => {
    const { hers, shares, store } = await shareableConversation();
    await store.createSession({ id: "ses_empty", userId: "ada", title: "" });
    await expect(hers.share("ses_empty", {})).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: "This conversation is empty. There is nothing to share yet.",
    });
    const long = (id: string, size: number) =>
      store.importSession({
        id,
        userId: "ada",
        title: "",
        headId: `${id}1`,
        messages: [{ id: `${id}1`, role: "user", parts: [text("é".repeat(size / 2))], createdAt: DAY }],
      });
    await long("ses_long", 4_000_000);
    await long("ses_middle", 1_000_000);
    const tooLong = {
      code: "TOO_LARGE",
      message: "This conversation is too long to share. Branch from a message, and share that.",
    };
    await expect(hers.share("ses_long", {})).rejects.toMatchObject(tooLong);
    await hers.share("ses_middle", {});
    const guest = shares.of({ id: "ada", kind: "guest" });
    await expect(guest.share("ses_middle", {})).rejects.toMatchObject(tooLong);
  });

  /** Adds a conversation of Ada that is one message of this length. */
  const addLong = (store: Awaited<ReturnType<typeof shareableConversation>>["store"], length: number) => {
    const id = `ses_${length}`;
    const message = { id, role: "user" as const, parts: [text("x".repeat(length))], createdAt: DAY };
    return store.importSession({ id, userId: "ada", title: "", headId: id, messages: [message] });
  };

  it("has room for exactly four million bytes", async () => {
    const { hers, shares, store } = await shareableConversation();
    await addLong(store, 1);
    const { title, by, messages } = await shares.read(tokenOf(await hers.share("ses_1", {})));
    const most = 4_000_000 - JSON.stringify({ title, by, messages }).length + 1;
    for (const length of [most, most + 1]) await addLong(store, length);
    expect(await hers.share(`ses_${most}`, {})).toMatchObject({ messages: 1 });
    await expect(hers.share(`ses_${most + 1}`, {})).rejects.toMatchObject({ code: "TOO_LARGE" });
  });

  it("says so where a link has no room for what was added to its conversation", async () => {
    const { shares, store } = await shareableConversation();
    const guest = shares.of({ id: "ada", kind: "guest" });
    const question = { id: "q", role: "user" as const, parts: [text("Tell me.")] };
    const answer = (id: string, said: string) => ({
      id,
      parentId: "q",
      role: "assistant" as const,
      parts: [text(said)],
    });
    const messages = [question, answer("short", "No."), answer("long", "Yes. ".repeat(120_000))];
    await store.importSession({ id: "ses_grows", userId: "ada", title: "", headId: "short", messages });
    const link = await guest.share("ses_grows", {});
    await addLong(store, 600_000);
    await guest.share("ses_600000", {});
    await store.showMessage("ses_grows", "long");
    await expect(guest.change(link.id, { update: true })).rejects.toMatchObject({ code: "STORAGE_FULL" });
    expect((await shares.read(tokenOf(link))).messages[1]?.content).toBe("No.");
  });

  it("has a bound for guests", async () => {
    const { shares } = await shareableConversation();
    const guest = shares.of({ id: "ada", kind: "guest" });
    for (let count = 0; count < 5; count++) await guest.share("ses_s", {});
    await expect(guest.share("ses_s", {})).rejects.toMatchObject({
      code: "STORAGE_FULL",
      message: "You can share 5 conversations at a time. Stop sharing some in Settings, Data.",
    });
  });
});
