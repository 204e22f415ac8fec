import { describe, expect, it } from "vitest";
import { startTestApp } from "../testing/app.ts";
import { checkDescriptions, OPERATIONS } from "./operations.ts";

type Routes = Parameters<typeof checkDescriptions>[0];

const all = Object.keys(OPERATIONS).map((name) => {
  const [method, path] = name.split(" ");
  return { method, path };
}) as Routes;

describe("checking the route descriptions", () => {
  it("names a route without a description", () => {
    const extra = { method: "PUT", path: "/somewhere/new" } as const;
    expect(() => checkDescriptions([...all, extra])).toThrow(
      "The route PUT /somewhere/new has no description in the topics of http/description/.",
    );
  });

  it("names a description without a route", () => {
    expect(() => checkDescriptions(all.filter(({ path }) => path !== "/models"))).toThrow(
      "The description of GET /models in the topics of http/description/ has no route.",
    );
    expect(() => checkDescriptions(all.filter(({ path }) => path !== "/mcp"))).not.toThrow();
  });

  it("happens when the server is created", async () => {
    const { "GET /models": described } = OPERATIONS;
    delete OPERATIONS["GET /models"];
    try {
      await expect(startTestApp()).rejects.toThrow("GET /models has no description");
    } finally {
      Object.assign(OPERATIONS, { "GET /models": described });
    }
  });
});
