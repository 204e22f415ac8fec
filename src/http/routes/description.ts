import type { Route } from "../context.ts";

const OWN = { method: "GET", path: "/openapi.json" } as const;

/** The OpenAPI document of all routes. */
export function descriptionRoutes(others: readonly Route[]): Route[] {
  let document: string | undefined;
  return [
    {
      ...OWN,
      async handle(c) {
        // Loaded on the first request, so that the start does not wait for it.
        const { describeRoutes } = await import("../description/document.ts");
        document ??= JSON.stringify(describeRoutes([...others, OWN]), null, 2);
        return c.body(document, 200, { "content-type": "application/json; charset=utf-8" });
      },
    },
  ];
}
