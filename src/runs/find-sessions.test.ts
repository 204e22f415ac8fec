import { expect, it } from "vitest";
import type { SearchHit } from "../protocol/search.ts";
import type { Session } from "../protocol/sessions.ts";
import { findSessions, withProjects } from "./find-sessions.ts";

const session = (id: string, day: number, change: Partial<Session> = {}): Session => ({
  id,
  userId: "ada",
  title: id,
  createdAt: "",
  updatedAt: `2026-01-0${day}`,
  ...change,
});
const SESSIONS = [
  session("old", 1, { projectId: "prj_1" }),
  session("new", 3, { pinned: true }),
  session("middle", 2),
  session("archived", 4, { archived: true }),
  session("theirs", 5, { userId: "eve" }),
];
const hit = (sessionId?: string): SearchHit => ({
  kind: "message",
  title: "",
  titleHighlights: [],
  at: "",
  ...(sessionId === undefined ? {} : { sessionId }),
});

/** A search that finds something in all sessions, in one that is gone, and in a file. */
const store = {
  asked: [] as unknown[],
  async search(userId: string, options: object) {
    this.asked.push({ userId, ...options });
    return {
      results: [...SESSIONS.map(({ id }) => hit(id)), hit("gone"), hit("old"), hit()],
      complete: true,
    };
  },
  getSession: async (id: string) => SESSIONS.find((one) => one.id === id),
};

it("sessions are found newest first, once each, and only one's own", async () => {
  const found = async (options: Omit<Parameters<typeof findSessions>[3], "limit"> & { limit?: number }) =>
    (await findSessions(store, "ada", "ibex", { limit: 10, ...options })).map(({ id }) => id);
  expect(await found({})).toEqual(["new", "middle", "old"]);
  expect(store.asked[0]).toEqual({ userId: "ada", query: "ibex", limit: 50 });
  expect(await found({ limit: 2 })).toEqual(["new", "middle"]);
  expect(await found({ archived: true })).toEqual(["archived"]);
  expect(await found({ pinned: true })).toEqual(["new"]);
  expect(await found({ before: "2026-01-02" })).toEqual(["old"]);
  expect(await found({ projectId: "prj_1" })).toEqual(["old"]);
  expect(await found({ projectId: "none" })).toEqual(["new", "middle"]);
});

it("what was found says which project its session is in", async () => {
  const asked: unknown[] = [];
  const projects = {
    async projectsOfSessions(userId: string, ids: readonly string[]) {
      asked.push([userId, ...ids]);
      return [{ sessionId: "a", projectId: "prj_1", name: "Travel" }];
    },
  };
  const project = { id: "prj_1", name: "Travel" };
  const hits = [hit("a"), hit("b"), hit("a"), hit()];
  expect(await withProjects(projects, "ada", hits)).toEqual([
    { ...hit("a"), project },
    hit("b"),
    { ...hit("a"), project },
    hit(),
  ]);
  expect(asked).toEqual([["ada", "a", "b"]]);
  expect(await withProjects(projects, "ada", [hit()])).toEqual([hit()]);
  expect(asked).toHaveLength(1);
});
