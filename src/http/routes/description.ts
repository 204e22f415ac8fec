import type { Route } from "../context.ts";

const OWN = { method: "GET", path: "/openapi.json" } as const;

/** The OpenAPI document of all routes. */
export function descriptionRoutes(others: readonly Route[]): Route[] {
  let document: string | undefined;
  // Not loaded with the other routes, so that a local start does not wait for it.
  const prepare = async () => {
    const { describeRoutes } = await import("../description/document.ts");
    document ??= JSON.stringify(describeRoutes([...others, OWN]), null, 2);
    return document;
  };
  return [
    {
      ...OWN,
      prepare,
      handle: async (c) =>
        c.body(await prepare(), 200, { "content-type": "application/json; charset=utf-8" }),
    },
  ];
}
