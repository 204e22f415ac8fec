import { expect, test } from "vitest";
import type { ProjectValue } from "../../protocol/projects.ts";
import { repeatErasure } from "../repeat-erasure.ts";
import { openedRun, type StoreHarness } from "./harness.ts";

/** Projects, their members and files, and what is remembered. */
export function projectBehavior(harness: () => StoreHarness): void {
  const value: ProjectValue = { name: "Lisbon", instructions: "Prices in euros.", tools: ["get_time"] };
  const file = { userId: "ada", name: "Offer.txt", mimeType: "text/plain", size: 3 };

  async function withProject() {
    const { store } = harness();
    await store.addProject({ id: "prj_1", userId: "ada", value }, 5);
    await store.createSession({ id: "ses", userId: "ada", title: "Budget", projectId: "prj_1" });
    return store;
  }

  async function withFile() {
    const store = await withProject();
    await store.addFile({ id: "file_1", ...file }, 1_000);
    await store.addProjectFile("prj_1", "file_1", 5);
    await store.addPieces("file_1", "prj_1", [
      { place: "page 1", text: "The desks cost €1,340. Schöne Möbel." },
      { place: "page 2", text: "Delivery of desks on 15 January, desks included. 東京の机です。" },
    ]);
    await store.finishProjectFile("file_1", 90);
    return store;
  }

  test("sessions that wait for a person are listed, whatever project they are in", async () => {
    const store = await withProject();
    await store.createSession({ id: "other", userId: "ada", title: "Other" });
    const run = await openedRun(store, { sessionId: "ses", newSession: undefined });
    await openedRun(store, { sessionId: "other", newSession: undefined });
    const ids = async (userId: string) =>
      (await store.listSessions(userId, { limit: 9, waiting: true })).map(({ id }) => id);
    expect(await ids("ada")).toEqual([]);
    const paused = { runId: run.id, epoch: run.epoch, firstSeq: 2, events: [], steps: [] };
    await store.commit([{ ...paused, status: "waiting" }], { durable: true });
    expect(await ids("ada")).toEqual(["ses"]);
    expect(await ids("bob")).toEqual([]);
  });

  test("a project is kept whole, counts its sessions, and can be changed", async () => {
    const store = await withProject();
    expect(await store.getProject("prj_1", "ada")).toMatchObject({ ...value, access: "owner", sessions: 1 });
    expect((await store.getSession("ses"))?.projectId).toBe("prj_1");
    const named = { sessionId: "ses", projectId: "prj_1", name: "Lisbon" };
    expect(await store.projectsOfSessions("ada", ["ses", "none", "O'Neil\""])).toEqual([named]);
    expect(await store.projectsOfSessions("bob", ["ses"])).toEqual([]);
    await Promise.all([
      store.changeProject("prj_1", (before) => ({ ...before, name: "Porto" })),
      store.changeProject("prj_1", (before) => ({ ...before, instructions: "In pounds." })),
      store.changeProject("prj_1", (before) => ({ ...before, model: "demo/demo" })),
    ]);
    const changed = { name: "Porto", instructions: "In pounds.", model: "demo/demo", tools: value.tools };
    expect(await store.listProjects("ada")).toMatchObject([changed]);
    await store.changeProject("none", (before) => before);
  });

  test("no more projects than the limit, and one personal project that is not listed", async () => {
    const store = await withProject();
    expect(await store.addProject({ id: "prj_2", userId: "ada", value }, 1)).toBe(false);
    for (const id of ["me_1", "me_2"])
      await store.addProject({ id, userId: "ada", personal: true, value: { ...value, name: id } }, 1);
    expect(await store.personalProject("ada")).toMatchObject({ id: "me_1", personal: true });
    expect(await store.listProjects("ada")).toHaveLength(1);
  });

  test("sessions are listed by project, and stay when it is deleted", async () => {
    const store = await withProject();
    await store.createSession({ id: "other", userId: "ada", title: "Other" });
    const ids = async (projectId?: string) =>
      (await store.listSessions("ada", { limit: 9, projectId })).map(({ id }) => id).sort();
    expect(await ids("prj_1")).toEqual(["ses"]);
    expect(await ids("none")).toEqual(["other"]);
    expect(await ids()).toEqual(["other", "ses"]);
    await store.moveSession("other", "prj_1");
    expect(await ids("prj_1")).toEqual(["other", "ses"]);
    await store.deleteProject("prj_1");
    expect(await ids("none")).toEqual(["other", "ses"]);
  });

  test("members see the project until they are removed, and take their sessions along", async () => {
    const store = await withProject();
    await store.setMember("prj_1", "bob", "read");
    await store.setMember("prj_1", "bob", "write");
    await store.createSession({ id: "bobs", userId: "bob", title: "Mine", projectId: "prj_1" });
    expect(await store.listProjects("bob")).toMatchObject([{ access: "write", sessions: 1, members: 1 }]);
    await store.setMember("prj_1", "bob");
    expect(await store.listProjects("bob")).toEqual([]);
    expect((await store.getProject("prj_1", "bob"))?.access).toBeUndefined();
    expect((await store.getSession("bobs"))?.projectId).toBeUndefined();
  });

  test("the text of files is found by its words, the best piece first, in these projects alone", async () => {
    const store = await withFile();
    const places = async (query: string, ids = ["prj_1"]) =>
      (await store.searchPieces(ids, query, 5)).map(({ place }) => place);
    expect(await places("Desk delivery?")).toEqual(["page 2", "page 1"]);
    expect(await places("MOBEL")).toEqual(["page 1"]);
    expect(await places("東京")).toEqual(["page 2"]);
    expect(await places("\" OR *) & ! \\ ' :")).toEqual([]);
    expect(await places("desks", ["prj_2"])).toEqual([]);
    expect(await store.listProjectFiles("prj_1")).toMatchObject([{ fileId: "file_1", characters: 90 }]);
  });

  test("pieces are found by what they mean, once they have vectors of the model", async () => {
    const store = await withFile();
    const claim = () => store.claimUnembedded("demo/a", 1_000, 2_000);
    expect(await claim()).toEqual({ fileId: "file_1", userId: "ada" });
    expect(await claim()).toBeUndefined();
    expect(await store.claimUnembedded("demo/a", 2_000, 3_000)).toMatchObject({ fileId: "file_1" });
    const pieces = await store.unembedded("file_1", "demo/a", 0, 9);
    expect(pieces.map(({ text }) => text.slice(0, 8))).toEqual(["The desk", "Delivery"]);
    const vectors = pieces.map(({ id }, at) => ({
      id,
      vector: Float32Array.from(at === 0 ? [0.8, 0.6, 0] : [0, 0, 1]),
    }));
    await store.keepVectors("demo/a", [...vectors, { id: 1_000_000, vector: Float32Array.of(1, 0, 0) }]);
    expect(await store.unembedded("file_1", "demo/a", 0, 9)).toEqual([]);
    await store.finishEmbedding("file_1", "demo/a");
    expect(await store.claimUnembedded("demo/a", 9_000, 9_001)).toBeUndefined();
    expect(await store.claimUnembedded("demo/b", 9_000, 9_001)).toMatchObject({ fileId: "file_1" });
    const near = async (vector: number[], model = "demo/a") =>
      (await store.nearestPieces("prj_1", model, Float32Array.from(vector), 5)).map(({ place }) => place);
    expect(await near([1, 0, 0])).toEqual(["page 1"]);
    expect(await near([0, 0.6, 0.8])).toEqual(["page 2"]);
    expect(await near([0, 0, 1], "demo/b")).toEqual([]);
    expect(await near([0, 1])).toEqual([]);
    await store.removePieces({ fileId: "file_1" });
    expect(await near([1, 0, 0])).toEqual([]);
  });

  test("what is deleted is not found any more: the file, its session's use of it, the project, the account", async () => {
    const store = await withFile();
    await store.removePieces({ fileId: "file_1" });
    expect(await store.searchPieces(["prj_1"], "desks", 5)).toEqual([]);
    await store.deleteProject("prj_1");
    expect(await store.getFile("file_1")).toBeUndefined();
    expect(await store.listFileLeftovers(5)).toEqual(["file_1"]);
    await store.addProject({ id: "prj_2", userId: "ada", value }, 5);
    await store.addFile({ id: "file_2", ...file }, 1_000);
    await store.addProjectFile("prj_2", "file_2", 5);
    await store.addPieces("file_2", "prj_2", [{ place: "line 1", text: "chairs" }]);
    await store.deleteUser("ada");
    expect(await store.searchPieces(["prj_2"], "chairs", 5)).toEqual([]);
    expect(await store.getProject("prj_2", "ada")).toBeUndefined();
  });

  test("a remembered line goes with its session, unless the person has changed it", async () => {
    const store = await withProject();
    for (const id of ["mem_1", "mem_2"])
      await store.addMemory({ id, userId: "ada", sessionId: "ses", text: id }, 2);
    expect(await store.addMemory({ id: "mem_3", userId: "ada", text: "too many" }, 2)).toBe(false);
    expect(await store.listMemories("ada")).toMatchObject([
      { id: "mem_1", sessionId: "ses", session: "Budget" },
      { id: "mem_2" },
    ]);
    expect(await store.changeMemory("bob", "mem_2", "mine now")).toBe(false);
    expect(await store.changeMemory("ada", "mem_2", "Likes tea.")).toBe(true);
    await store.deleteSession("ses");
    expect((await store.listMemories("ada")).map(({ text }) => text)).toEqual(["Likes tea."]);
    expect(await store.removeMemories("bob", "mem_2")).toBe(0);
    expect(await store.removeMemories("ada", "mem_2")).toBe(1);
  });

  test("limits hold for what is added at the same time, and a line is remembered once", async () => {
    const { store } = harness();
    const eight = Array.from({ length: 8 }, (_, index) => `${index}`);
    const added = (all: boolean[]) => all.filter((one) => one).length;
    const projects = eight.map((id) => store.addProject({ id, userId: "ada", value }, 3));
    expect(added(await Promise.all(projects))).toBe(3);
    const same = eight.map((id) => store.addMemory({ id: `same-${id}`, userId: "ada", text: "Tea" }, 5));
    expect(added(await Promise.all(same))).toBe(1);
    const lines = eight.map((id) => store.addMemory({ id, userId: "ada", text: `Line ${id}` }, 5));
    expect(added(await Promise.all(lines))).toBe(4);
  });

  test("what was deleted is deleted again after it came back with a backup", async () => {
    const store = await withFile();
    await store.addMemory({ id: "mem_1", userId: "ada", text: "Likes tea." }, 5);
    await store.startErasure({ kind: "project", id: "prj_1" });
    await store.startErasure({ kind: "memory", id: "mem_1" });
    for (const erasure of await store.unfinishedErasures()) await repeatErasure(store, erasure);
    expect(await store.getProject("prj_1", "ada")).toBeUndefined();
    expect(await store.searchPieces(["prj_1"], "desks", 5)).toEqual([]);
    expect(await store.listMemories("ada")).toEqual([]);
    expect(await store.unfinishedErasures()).toEqual([]);
  });

  test("projects and what is remembered move from a guest to its account, which keeps its own instructions", async () => {
    const store = await withProject();
    await store.addMemory({ id: "mem_1", userId: "ada", text: "Likes tea." }, 5);
    await store.addProject({ id: "me_ada", userId: "ada", personal: true, value }, 1);
    await store.addProject({ id: "me_bob", userId: "bob", personal: true, value }, 1);
    await store.adoptUser("ada", "bob");
    expect(await store.listProjects("bob")).toMatchObject([{ id: "prj_1", sessions: 1 }]);
    expect((await store.personalProject("bob"))?.id).toBe("me_bob");
    expect(await store.listMemories("bob")).toHaveLength(1);
    expect(await store.personalProject("ada")).toBeUndefined();
  });
}
