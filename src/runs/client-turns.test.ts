import { describe, expect, it } from "vitest";
import { tool } from "../loop/testing/scripted.ts";
import type { ModelCatalogue } from "../protocol/catalogue.ts";
import { Failure } from "../protocol/failure.ts";
import type { Files, UserFiles } from "../protocol/files.ts";
import { type Message, textMessage } from "../protocol/messages.ts";
import type { Model } from "../protocol/model.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Provider } from "../protocol/provider.ts";
import type { TurnRequest } from "../protocol/turns.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { createTurns, type TurnsParts } from "./dialect-turns.ts";
import type { Runner } from "./runner.ts";
import { TOOL_RULES } from "./system-prompt.ts";
import { registryOf } from "./testing/registry.ts";

const ada: Principal = { id: "ada", kind: "account" };
const stored = {
  id: "file_1",
  userId: "ada",
  name: "notes.txt",
  mimeType: "text/plain",
  size: 3,
  createdAt: "",
};

/** The turns of Ada, with two tools and one model, and what was started. */
async function turns(change: Partial<TurnsParts> = {}) {
  const store = await temporaryStore();
  const started: TurnRequest[] = [];
  const checked: (readonly Message[])[] = [];
  const tools = [tool("echo"), tool("look")];
  const model = {
    id: "acme/large/2",
    info: { name: "large", contextWindow: 1_000 },
  } as Partial<Model> as Model;
  const parts = {
    store,
    runner: {
      async start(_: Principal, request: TurnRequest) {
        started.push(request);
        return { runId: "r", sessionId: "s", messageId: "m", model: "m", joined: false };
      },
    } as Partial<Runner> as Runner,
    registry: registryOf({
      get: (name) => tools.find((one) => one.name === name),
      list: () => tools,
      expand: (names) => tools.filter(({ name }) => names.includes(name)),
    }),
    models: {
      known: () =>
        [
          { id: "acme", dialect: (name: string) => `dialect of ${name}` },
          { id: "plain", dialect: "chat" },
        ] as Partial<Provider>[] as Provider[],
    } as Partial<ModelCatalogue> as ModelCatalogue,
    modelsFor: async () => ({
      keys: {},
      async resolve(id?: string) {
        if (id === "secret") throw new Failure("FORBIDDEN", "Not for you.");
        if (id === "large" || id === "none") throw new Failure("INVALID_INPUT", `There is no model ${id}.`);
        return model;
      },
      named: async (id: string) => (id === "large" ? "acme/large/2" : undefined),
      list: async () => [],
    }),
    files: {
      own: async () => stored,
      keepTemporarily: async (userId: string, bytes: Uint8Array) => `${userId} ${Buffer.from(bytes)}`,
      readTemporary: async () => undefined,
    } as Partial<Files> as Files,
    userFiles: () =>
      ({
        save: async (bytes: Uint8Array, { name }: { name: string }) => {
          const mimeType = name === "document.pdf" ? "application/pdf" : "image/webp";
          return { file: { ...stored, id: `${name} ${Buffer.from(bytes)}`, mimeType }, url: "" };
        },
      }) as Partial<UserFiles> as UserFiles,
    checkImageAddresses: (messages: readonly Message[]) => void checked.push(messages),
    vault: {
      seal: (text: string, owner: object) => JSON.stringify([text, owner]),
      open: (sealed: string) => sealed.slice(1),
    },
    ...change,
  } as Partial<TurnsParts> as TurnsParts;
  return { turns: createTurns(parts, ada), started, checked };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("the tools of a turn", () => {
  it("are those that are asked for and offered, and the model is told how to use them", async () => {
    const { turns: hers, started } = await turns();
    const request = { newest: textMessage("n", "user", "Hi"), systemPrompt: "Rhyme." };
    await hers.start({ ...request, tools: ["echo"], optionalTools: ["look", "gone"], warnings: ["W."] });
    expect(started[0]).toMatchObject({
      tools: ["echo", "look"],
      clientTools: [],
      warnings: ["W.", "The tool gone is not offered by this server."],
      systemPrompt: [...TOOL_RULES, "Rhyme."].join("\n"),
    });
    expect(started[0]).not.toHaveProperty("optionalTools");
    await hers.start({ ...request, tools: ["all"] });
    expect(started[1]?.tools).toEqual(["echo", "look"]);
    const clientTools = [{ name: "echo", description: "", parameters: {} }];
    expect(await hers.start({ ...request, tools: ["echo"], clientTools })).toMatchObject({
      runId: "r",
      clientTools: ["echo"],
    });
    expect(started[2]).toMatchObject({ tools: [], systemPrompt: "Rhyme." });
    await hers.start({ newest: request.newest });
    expect(started[3]).toMatchObject({ tools: [], systemPrompt: "", warnings: [] });
  });

  it("are left to us where the client only adds instructions", async () => {
    const { turns: hers, started } = await turns();
    await hers.start({ message: "Hi", instructions: "Rhyme." });
    expect(started[0]).toEqual({ message: "Hi", instructions: "Rhyme.", clientTools: [] });
    await hers.start({ message: "Hi", instructions: "Rhyme.", tools: ["echo"] });
    expect(started[1]).toEqual({
      message: "Hi",
      instructions: "Rhyme.",
      tools: ["echo"],
      clientTools: [],
      warnings: [],
    });
  });
});

describe("the model of a turn", () => {
  it("may be named without its vendor, also as the author of earlier answers", async () => {
    const { turns: hers, started } = await turns();
    const answer = (id: string, model: string) => ({ ...textMessage(id, "assistant", "Hi."), model });
    const newest = textMessage("n", "user", "Hi");
    await hers.start({
      newest,
      model: "large",
      history: [answer("a", "large"), answer("b", "other"), newest],
    });
    expect(started[0]).toMatchObject({ model: "acme/large/2" });
    expect(started[0]?.history?.map(({ model }) => model)).toEqual(["acme/large/2", "other", undefined]);
    await hers.start({ newest, model: "acme/large" });
    expect(started[1]?.model).toBe("acme/large");
    await hers.start({ newest });
    expect(started[2]).not.toHaveProperty("model");
    await expect(hers.start({ newest, model: "secret" })).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(hers.start({ newest, model: "none" })).rejects.toThrow("There is no model none.");
  });

  it("is measured before it is asked", async () => {
    const { turns: hers } = await turns();
    const small = await hers.measure({ model: "large" });
    expect(small).toMatchObject({ window: 1_000, dialect: "dialect of large/2" });
    const more = await hers.measure({ history: [textMessage("1", "user", "word ".repeat(100))] });
    expect(more.tokens).toBeGreaterThan(small.tokens + 50);
    const tools = await hers.measure({ tools: ["echo"], systemPrompt: "Rhyme." });
    expect(tools.tokens).toBeGreaterThan(small.tokens);
    const resolve = async () => ({ id: "plain/m", info: { name: "m" } }) as Partial<Model> as Model;
    const modelsFor = async () => ({ keys: {}, resolve, named: async () => undefined, list: async () => [] });
    const plain = await (await turns({ modelsFor })).turns.measure({});
    expect(plain.dialect).toBe("chat");
    expect(plain.window).toBeUndefined();
  });
});

describe("files in messages", () => {
  const image = { type: "image" as const, mimeType: "image/png", data: base64("pixels") };

  it("are stored instead of in the message, under their real type, and a PDF as a document", async () => {
    const { turns: hers, started } = await turns();
    const pdf = { ...image, mimeType: "application/pdf" };
    const result = {
      type: "tool_result" as const,
      toolCallId: "c",
      toolName: "draw",
      success: true,
      trust: "untrusted" as const,
      output: "",
      images: [image],
    };
    await hers.start({ newest: { id: "n", role: "user", parts: [image, pdf, result] } });
    const kept = { type: "image", mimeType: "image/webp", fileId: "image pixels" };
    expect(started[0]?.newest?.parts).toEqual([
      kept,
      {
        type: "text",
        text: "",
        file: { id: "document.pdf pixels", name: "document.pdf", mimeType: "application/pdf", size: 3 },
      },
      { ...result, images: [kept] },
    ]);
  });

  it("of a client's history are kept for a while, once", async () => {
    const { turns: hers, started, checked } = await turns();
    const newest: Message = { id: "n", role: "user", parts: [image] };
    await hers.start({ newest, history: [newest] });
    expect(started[0]?.history?.[0]?.parts).toEqual([
      { type: "image", mimeType: "image/png", asideId: "ada pixels" },
    ]);
    expect(started[0]?.newest?.parts).toEqual([{ type: "image", mimeType: "image/png" }]);
    expect(checked).toEqual([[newest, newest]]);
  });

  it("that a client names by their ids are looked up", async () => {
    const { turns: hers, started } = await turns();
    const named = {
      type: "text" as const,
      text: "",
      file: { id: "file_1", name: "", mimeType: "", size: 0 },
    };
    const newest: Message = { id: "n", role: "user", parts: [{ type: "text", text: "Look" }, named] };
    await hers.start({ newest, history: [newest] });
    const file = { id: "file_1", name: "notes.txt", mimeType: "text/plain", size: 3 };
    const parts = [
      { type: "text", text: "Look" },
      { type: "text", text: "", file },
    ];
    expect(started[0]?.newest?.parts).toEqual(parts);
    expect(started[0]?.history?.[0]?.parts).toEqual(parts);
  });
});

it("what a client keeps is sealed for this person", async () => {
  const { turns: hers } = await turns();
  expect(hers.seal("words")).toBe(JSON.stringify(["words", { userId: "ada", name: "what a client keeps" }]));
  expect(hers.unseal("xwords")).toBe("words");
});
