import type { Route } from "../context.ts";

const OWN = { method: "GET", path: "/openapi.json" } as const;

/** The routes that are mounted, as an OpenAPI document. */
export function descriptionRoutes(others: readonly Route[]): Route[] {
  let document: string | undefined;
  return [
    {
      ...OWN,
      async handle(c) {
        // Loaded when somebody asks: no start should wait for it.
        const { describeRoutes } = await import("../description/document.ts");
        document ??= JSON.stringify(describeRoutes([...others, OWN]), null, 2);
        return c.body(document, 200, { "content-type": "application/json; charset=utf-8" });
      },
    },
  ];
}
