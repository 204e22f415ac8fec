import type { StoredArtifact } from "../../protocol/artifacts.ts";
import type { StoredFile } from "../../protocol/files.ts";
import { type Block, emptyRun } from "../../protocol/reduce.ts";
import { temporaryStore } from "../../store/testing/temporary.ts";
import { importSessions } from "../import-sessions.ts";
import { createShares, type ShareParts } from "../shares.ts";

export const KEY = new Uint8Array(32);
export const DAY = "2020-01-01T00:00:00.000Z";
export const SECRET = "sk-live-1234567890";
export const text = (said: string) => ({ type: "text" as const, text: said });
export const file: StoredFile = {
  id: "file_made",
  userId: "ada",
  name: "made.png",
  mimeType: "image/png",
  size: 1,
  createdAt: DAY,
};

export const call = { textOffset: 0, status: "succeeded" as const };
export const BLOCKS: Block[] = [
  { type: "reasoning", reasoning: { text: "Hm.", steps: [], complete: true } },
  {
    type: "tool",
    call: {
      ...call,
      toolCallId: "looked",
      toolName: "web_fetch",
      arguments: { url: "https://a.example" },
      output: "A page.",
      latencyMs: 7,
      decision: "once",
    },
  },
  {
    type: "tool",
    call: {
      ...call,
      toolCallId: "made",
      toolName: "generate_artifact",
      arguments: { code: "<p>Hi</p>" },
      artifact: {
        artifactId: "art_1",
        artifactType: "html",
        title: "Page",
        code: "<p>Hi</p>",
        complete: true,
        version: 3,
        previewUrl: "/artifacts/art_1/preview?version=3&key=abc",
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
        imageUrl: "/files/file_made?exp=1&sig=a",
        imageData: "AAAA",
        mimeType: "image/png",
        storageSucceeded: true,
        degradedMode: false,
      },
    },
  },
  text("Here."),
];

/** A conversation of Ada with steps, an artifact, an image and a file, and the links to it. */
export async function shareableConversation(change: Partial<ShareParts> = {}) {
  const store = await temporaryStore();
  await store.importSession({
    id: "ses_s",
    userId: "ada",
    title: `About ${SECRET}`,
    headId: "m2",
    messages: [
      { id: "m0", role: "system", parts: [text("Be brief.")] },
      {
        id: "m1",
        parentId: "m0",
        role: "user",
        parts: [
          text(`My key is ${SECRET}.`),
          { ...text(""), file: { id: "file_sent", name: "a.txt", mimeType: "text/plain", size: 5 } },
        ],
        createdAt: DAY,
      },
      {
        id: "m2",
        parentId: "m1",
        role: "assistant",
        parts: [text("Here.")],
        model: "some/model",
        state: {
          ...emptyRun(),
          sessionId: "ses_s",
          runId: "r",
          messageId: "m2",
          model: "some/model",
          text: "Here.",
          blocks: BLOCKS,
          notices: [
            { at: 2, event: { type: "user_message", messageId: "n1", text: "Hurry.", when: "now" } },
            { at: 3, event: { type: "user_message", messageId: "n2", text: "And then?", when: "after" } },
          ],
          todo: [{ text: "Look", state: "done" }],
          warnings: [{ code: "W", message: "Private." }],
          finishReason: "stop",
        },
        createdAt: DAY,
      },
      { id: "m3", parentId: "m1", role: "assistant", parts: [text("Another version.")] },
    ],
  });
  const shown: { artifact: StoredArtifact; origin: string }[] = [];
  const shares = createShares({
    store,
    files: { get: async (id) => (id === file.id ? file : undefined) },
    artifacts: {
      preview: async (artifact, origin) => {
        shown.push({ artifact, origin });
        return { body: "", headers: {} };
      },
    },
    key: KEY,
    hideKeys: async (said) => said.replaceAll(SECRET, "[key]"),
    nameOf: async (userId) => (userId === "ada" ? "Ada" : undefined),
    admit: async () => {},
    importSessions: (principal, document) => importSessions(store, principal, document),
    ...change,
  });
  return { store, shares, hers: shares.of({ id: "ada", kind: "account" }), shown };
}
