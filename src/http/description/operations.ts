import { functionAlias, type Route } from "../context.ts";
import type { Answer, Description } from "./descriptions.ts";
import { TOPICS } from "./topics.ts";

type Endpoint = Pick<Route, "method" | "path">;

/** One route of the document. */
export interface Operation
  extends Pick<Description, "summary" | "body" | "query" | "headers" | "open" | "deprecated"> {
  tag: string;
  /** By status. */
  answers: Record<string, Answer | Answer[]>;
}

/** The titles of the topics, in the order of the document. */
export const TAGS: Record<string, string> = Object.fromEntries(
  Object.entries(TOPICS).map(([tag, { title }]) => [tag, title]),
);

/** Every described route by method and path, such as `GET /sessions/:id`. */
export const OPERATIONS: Record<string, Operation> = Object.fromEntries(
  Object.entries(TOPICS).flatMap(([tag, { routes }]) =>
    Object.entries(routes).flatMap(([route, description]) => {
      const operation = toOperation(tag, description);
      const alias = functionAlias(route);
      if (alias === undefined) return [[route, operation]];
      return [
        [route, operation],
        [alias, { ...operation, summary: `The same as \`${route}\`, at the address of an edge function` }],
      ];
    }),
  ),
);

/** Routes that are absent where their optional packages are not installed. */
const OPTIONAL = /^\w+ \/(artifacts|vendor|(functions\/v1\/)?generate-artifact|mcp|\.well-known)\b/;

/** Throws at start, with its name, for a route without a description and for a description without a route. */
export function checkDescriptions(routes: readonly Endpoint[]): void {
  for (const route of routes) operationOf(route);
  const mounted = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const unused = Object.keys(OPERATIONS).find((name) => !mounted.has(name) && !OPTIONAL.test(name));
  if (unused)
    throw new Error(`The description of ${unused} in the topics of http/description/ has no route.`);
}

/** The description of a route. Throws where it has none. */
export function operationOf({ method, path }: Endpoint): Operation {
  const operation = OPERATIONS[`${method} ${path}`];
  if (!operation)
    throw new Error(`The route ${method} ${path} has no description in the topics of http/description/.`);
  return operation;
}

function toOperation(tag: string, description: Description): Operation {
  const { summary, body, query, headers, open, deprecated, ...answers } = description;
  return { tag, summary, body, query, headers, open, deprecated, answers };
}
