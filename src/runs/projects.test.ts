import { describe, expect, it } from "vitest";
import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Projects } from "../protocol/projects.ts";
import { createProjects } from "./projects.ts";
import { startTackle } from "./testing/tackle.ts";

const ada: Principal = { id: "ada", kind: "account" };
const eve: Principal = { id: "eve", kind: "account" };
const guest: Principal = { id: "guest", kind: "guest" };
const notFound = (message: string) => ({ code: "NOT_FOUND", message });
const forbidden = (message: string) => ({ code: "FORBIDDEN", message });

async function start() {
  const { internals, chatFor } = await startTackle();
  const { store, files, projectsFor } = internals;
  return { store, files, projectsFor, chatFor, hers: projectsFor(ada), theirs: projectsFor(eve) };
}

async function* onlyBytes() {
  yield new TextEncoder().encode("stored");
}

const travel = (hers: Projects) => hers.create({ name: "Travel", instructions: "Be brief." });

describe("a project", () => {
  it("is created, changed and deleted by its owner", async () => {
    const { hers, chatFor } = await start();
    const made = await travel(hers);
    expect(made).toMatchObject({ name: "Travel", instructionsBy: "ada", access: "owner", userId: "ada" });
    expect(made.id).toMatch(/^prj_/);
    const set = { model: "demo/demo", tools: ["get_time"], parameters: { temperature: 0 } };
    expect(await hers.change(made.id, set)).toMatchObject({ name: "Travel", ...set });
    expect(await hers.change(made.id, { name: "Trips" })).toMatchObject({ name: "Trips", ...set });
    const bare = await hers.change(made.id, { model: null, tools: null, parameters: null });
    for (const field of Object.keys(set)) expect(bare).not.toHaveProperty(field);
    await chatFor(ada).createSession({ projectId: made.id });
    expect(await hers.list()).toMatchObject([{ id: made.id, sessions: 1 }]);
    await hers.remove(made.id);
    await expect(hers.get(made.id)).rejects.toMatchObject(notFound("There is no such project."));
    expect(await chatFor(ada).listSessions()).toHaveLength(1);
  });

  it("comes first in the list of whoever used it last", async () => {
    const { hers, theirs, chatFor } = await start();
    const first = await travel(hers);
    await hers.setMember(first.id, "eve", "read");
    const second = await hers.create({ name: "Garden", instructions: "" });
    const order = async (projects: Projects) => (await projects.list()).map(({ name }) => name);
    expect(await order(hers)).toEqual(["Garden", "Travel"]);
    const session = await chatFor(ada).createSession({ projectId: first.id });
    expect(await order(hers)).toEqual(["Travel", "Garden"]);
    expect((await hers.list())[0]?.updatedAt).toBe(session.updatedAt);
    expect((await theirs.list())[0]?.updatedAt).toBe(first.updatedAt);
    await hers.change(second.id, { name: "Yard" });
    expect(await order(hers)).toEqual(["Yard", "Travel"]);
  });

  it("tells everybody who has it, or had it, that it has changed", async () => {
    const { store, hers } = await start();
    const told = async (person: string) =>
      (await store.readAccount(person, 0)).events.filter(({ json }) => json.includes("project_changed"))
        .length;
    const { id } = await travel(hers);
    await hers.setMember(id, "eve", "read");
    await hers.change(id, { name: "Trips" });
    expect([await told("ada"), await told("eve")]).toEqual([2, 2]);
    await hers.setMember(id, "eve");
    expect([await told("ada"), await told("eve")]).toEqual([3, 3]);
    await hers.change(id, { name: "Travel" });
    expect([await told("ada"), await told("eve")]).toEqual([4, 3]);
    await hers.setMember(id, "eve", "write");
    await hers.remove(id);
    expect([await told("ada"), await told("eve")]).toEqual([6, 5]);
    // The personal project is in no list.
    await hers.change("default", { instructions: "Be brief." });
    expect([await told("ada"), await told("eve")]).toEqual([6, 5]);
  });

  it("is used by those who may read it, and changed by those who may write", async () => {
    const { hers, theirs } = await start();
    const { id } = await travel(hers);
    await expect(theirs.get(id)).rejects.toMatchObject(forbidden("This project belongs to somebody else."));
    await hers.setMember(id, "eve", "read");
    expect(await theirs.get(id)).toMatchObject({ access: "read" });
    expect(await hers.members(id)).toEqual([{ userId: "eve", access: "read" }]);
    await expect(theirs.change(id, { name: "Mine" })).rejects.toMatchObject(
      forbidden("You may read this project, but not change it."),
    );
    await hers.setMember(id, "eve", "write");
    const changed = await theirs.change(id, { instructions: "Be long." });
    expect(changed).toMatchObject({ instructions: "Be long.", instructionsBy: "eve", access: "write" });
    expect(await theirs.change(id, { name: "Ours" })).toMatchObject({ instructionsBy: "eve" });
    expect(await hers.change(id, { name: "Hers" })).toMatchObject({ instructionsBy: "eve" });
    const owners = forbidden("Only its owner may do this.");
    await expect(theirs.remove(id)).rejects.toMatchObject(owners);
    await expect(theirs.members(id)).rejects.toMatchObject(owners);
    await expect(theirs.setMember(id, "bob", "read")).rejects.toMatchObject(owners);
    await expect(theirs.setMember(id, "eve", "write")).rejects.toMatchObject(owners);
    await expect(hers.setMember(id, "ada", "read")).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: "The owner cannot be a member.",
    });
    await theirs.setMember(id, "eve", undefined);
    await expect(theirs.get(id)).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(await hers.members(id)).toEqual([]);
  });

  it("of a guest is one of three", async () => {
    const { projectsFor } = await start();
    const his = projectsFor(guest);
    for (let count = 0; count < 3; count++) await travel(his);
    await expect(travel(his)).rejects.toMatchObject({
      code: "STORAGE_FULL",
      message: "You can have 3 projects. Delete one first.",
    });
    for (let count = 0; count < 4; count++) await travel(projectsFor(ada));
  });
});

describe("the personal project", () => {
  it("is there before anything is written into it, and stays one", async () => {
    const { hers, store } = await start();
    const empty = await hers.get("default");
    expect(empty).toEqual({
      id: "default",
      userId: "ada",
      personal: true,
      access: "owner",
      name: "",
      instructions: "",
      sessions: 0,
      files: 0,
      members: 0,
      createdAt: expect.stringMatching(/^20/),
      updatedAt: expect.stringMatching(/^20/),
    });
    const written = await hers.change("default", { about: "I am a baker.", instructions: "Be brief." });
    expect(written).toMatchObject({ about: "I am a baker.", instructions: "Be brief.", personal: true });
    expect(written.id).toMatch(/^prj_/);
    expect(await hers.change("default", { about: "I am a cook." })).toMatchObject({
      id: written.id,
      about: "I am a cook.",
      instructions: "Be brief.",
    });
    expect(await store.personalProject("ada")).toMatchObject({ id: written.id });
    expect(await hers.list()).toEqual([]);
  });

  it("has no files and no members, and is the only one that is about a person", async () => {
    const { hers } = await start();
    const { id } = await travel(hers);
    const only = { code: "INVALID_INPUT", message: "The personal project holds instructions only." };
    for (const attempt of [hers.remove("default"), hers.files("default"), hers.members("default")])
      await expect(attempt).rejects.toMatchObject(only);
    await expect(hers.change(id, { about: "Me." })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: "about: goes with the personal project alone.",
    });
  });
});

describe("a file of a project", () => {
  async function withFile(text: string | Failure | undefined, principal = ada) {
    const { store, files, projectsFor } = await start();
    let texts = 0;
    const projects = createProjects(
      {
        store,
        files,
        onText: () => texts++,
        async textOf() {
          if (text instanceof Failure) throw text;
          return text;
        },
      },
      principal,
    );
    const { id } = await travel(projects);
    const put: string[] = [];
    const add = async (name = "a.txt") => {
      const file = await files.put(onlyBytes(), { userId: principal.id, name });
      put.push(file.id);
      return projects.addFile(id, file, AbortSignal.timeout(10_000));
    };
    return { store, files, projects, projectsFor, id, add, put, texts: () => texts };
  }

  it("is read in pieces that can be searched", async () => {
    const lines = Array.from({ length: 45 }, (_, index) => `${index} ${"ibex ".repeat(199)}`);
    const { store, projects, id, add, texts } = await withFile(lines.join("\n"));
    const added = await add();
    const characters = lines.reduce((sum, line) => sum + line.trimEnd().length, 0);
    expect(added).toMatchObject({ name: "a.txt", mimeType: "text/plain", size: 6, characters });
    expect(added).not.toHaveProperty("problem");
    expect(texts()).toBe(1);
    expect(await projects.files(id)).toMatchObject([{ fileId: added.fileId, characters }]);
    expect(await store.searchPieces([id], "ibex", 100)).toHaveLength(45);
    expect(await projects.file(id, added.fileId)).toMatchObject({ id: added.fileId });
    await projects.removeFile(id, added.fileId);
    expect(await projects.files(id)).toEqual([]);
    expect(await store.searchPieces([id], "ibex", 100)).toEqual([]);
    await expect(projects.file(id, added.fileId)).rejects.toMatchObject(
      notFound("There is no such file in this project."),
    );
  });

  it.each([
    [" \n", "This file has no text that can be searched."],
    [undefined, "This file has no text that can be searched."],
    [new Failure("INVALID_INPUT", "Broken."), "This file could not be read, so it cannot be searched."],
  ])("without a text says so: %j", async (text, problem) => {
    const { projects, id, add, texts } = await withFile(text);
    expect(await add()).toMatchObject({ characters: 0, problem });
    expect(await projects.files(id)).toMatchObject([{ characters: 0, problem }]);
    expect(texts()).toBe(0);
  });

  it("that is very long says that only its beginning can be searched", async () => {
    const { add, texts } = await withFile(`${"ibex ".repeat(400_000)}!`);
    expect(await add()).toMatchObject({
      problem: "Only its first 2,000,000 characters can be searched.",
    });
    expect(texts()).toBe(1);
  });

  it("that is removed while it is read, or whose project is, is refused and not kept", async () => {
    const { store, files, hers } = await start();
    const removals = [
      (id: string, fileId: string) => hers.removeFile(id, fileId),
      (id: string) => hers.remove(id),
    ];
    for (const remove of removals) {
      const { id } = await travel(hers);
      const file = await files.put(onlyBytes(), { userId: "ada", name: "a.txt" });
      const textOf = async () => {
        await remove(id, file.id);
        return "words";
      };
      const adding = createProjects({ store, files, textOf }, ada).addFile(
        id,
        file,
        AbortSignal.timeout(10_000),
      );
      await expect(adding).rejects.toMatchObject(
        notFound("What this belongs to was deleted in the meantime."),
      );
      expect(await files.get(file.id)).toBeUndefined();
    }
  });

  it("of somebody who may not change the project is not kept", async () => {
    const { files, hers, theirs } = await start();
    const { id } = await travel(hers);
    await hers.setMember(id, "eve", "read");
    const file = await files.put(onlyBytes(), { userId: "eve", name: "a.txt" });
    const adding = theirs.addFile(id, file, AbortSignal.timeout(10_000));
    await expect(adding).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(await files.get(file.id)).toBeUndefined();
  });

  it("is seen by members, changed by writers, and belongs to no other project", async () => {
    const { projects, projectsFor, id, add } = await withFile("text");
    const { fileId } = await add();
    const other = await travel(projects);
    await expect(projects.file(other.id, fileId)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await projects.setMember(id, "eve", "read");
    const theirs = projectsFor(eve);
    expect(await theirs.file(id, fileId)).toMatchObject({ id: fileId });
    await expect(theirs.removeFile(id, fileId)).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  it("of a guest is one of five, and one too many is not kept", async () => {
    const { files, projects, id, add, put } = await withFile("text", guest);
    for (let count = 0; count < 5; count++) await add(`${count}.txt`);
    await expect(add("6.txt")).rejects.toMatchObject({
      code: "STORAGE_FULL",
      message: "A project can have 5 files. Remove one first.",
    });
    expect(await projects.files(id)).toHaveLength(5);
    expect(await files.get(put[4] ?? "")).toBeDefined();
    expect(await files.get(put[5] ?? "")).toBeUndefined();
  });
});

describe("memory", () => {
  it("is on for people and off for guests until they say otherwise", async () => {
    const { hers, projectsFor } = await start();
    expect(await hers.memory()).toEqual({ enabled: true, lines: [] });
    expect(await hers.changeMemory({ enabled: false })).toMatchObject({ enabled: false });
    expect(await hers.change("default", { about: "Me." })).toMatchObject({ memory: false });
    const his = projectsFor(guest);
    expect((await his.memory()).enabled).toBe(false);
    expect((await his.changeMemory({ enabled: true })).enabled).toBe(true);
  });

  it("keeps lines once, changes and forgets them, and tells every open page", async () => {
    const { store, hers } = await start();
    await hers.changeMemory({ text: "Lives  in\nBern. " });
    const { lines } = await hers.changeMemory({ text: "lives in bern." });
    expect(lines.map(({ text }) => text)).toEqual(["Lives in Bern."]);
    const id = lines[0]?.id ?? "";
    expect((await hers.changeMemory({ id, text: "Lives in Basel." })).lines).toMatchObject([
      { id, text: "Lives in Basel." },
    ]);
    const missing = notFound("Nothing with this id is remembered.");
    await expect(hers.changeMemory({ id: "mem_none", text: "x" })).rejects.toMatchObject(missing);
    await expect(hers.forget("mem_none")).rejects.toMatchObject(missing);
    await hers.forget(id);
    await hers.forget();
    expect((await hers.memory()).lines).toEqual([]);
    const { events } = await store.readAccount("ada", 0);
    expect(events.map(({ json }) => json)).toEqual(Array(4).fill('{"type":"memory_changed"}'));
  });

  it("holds twenty lines of a guest", async () => {
    const { projectsFor } = await start();
    const his = projectsFor(guest);
    for (let count = 0; count < 20; count++) await his.changeMemory({ text: `Line ${count}.` });
    await expect(his.changeMemory({ text: "One more." })).rejects.toMatchObject({
      code: "STORAGE_FULL",
      message: "At most 20 things are remembered. Delete some in the settings.",
    });
  });
});
