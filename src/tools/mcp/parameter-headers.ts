import { isObject, type JsonSchema } from "../../protocol/json.ts";

/** A parameter that a server of the 2026 revision wants as an HTTP header too. */
export interface HeaderParameter {
  path: readonly string[];
  header: string;
}

const KEYWORD = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = new Set(["string", "integer", "boolean"]);
/** A value that is written as it is: visible ASCII, with spaces and tabs inside. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const ENCODED = /^=\?base64\?.*\?=$/;

/** Finds the parameters of a tool that become headers. Returns what is wrong if the tool must not be offered. */
export function headerParameters(schema: JsonSchema): HeaderParameter[] | { problem: string } {
  const found: HeaderParameter[] = [];
  const names = new Set<string>();

  function visit(node: unknown, path: readonly string[], reachable: boolean): string | undefined {
    if (Array.isArray(node)) return first(node.map((one) => () => visit(one, path, false)));
    if (!isObject(node)) return undefined;
    if (Object.hasOwn(node, KEYWORD)) {
      const problem = enter(node, path, reachable);
      if (problem) return problem;
    }
    return first(
      Object.entries(node).map(([keyword, inner]) => () => {
        if (keyword === KEYWORD || keyword === "enum" || keyword === "const" || keyword === "default")
          return undefined;
        if (keyword !== "properties" || !isObject(inner)) return visit(inner, path, false);
        return first(
          Object.entries(inner).map(
            ([name, one]) =>
              () =>
                visit(one, [...path, name], reachable),
          ),
        );
      }),
    );
  }

  function enter(node: Record<string, unknown>, path: readonly string[], reachable: boolean) {
    const header = node[KEYWORD];
    if (!reachable || path.length === 0) return `${KEYWORD} stands where no parameter is`;
    if (typeof header !== "string" || !TOKEN.test(header)) return `${KEYWORD} is not the name of a header`;
    if (typeof node.type !== "string" || !TYPES.has(node.type))
      return `${KEYWORD} is for texts, integers and booleans only`;
    if (names.has(header.toLowerCase())) return `two parameters have the same ${KEYWORD}`;
    names.add(header.toLowerCase());
    found.push({ path, header });
    return undefined;
  }

  const problem = visit(schema, [], true);
  return problem === undefined ? found : { problem };
}

/** The headers of one call. Parameters without a value have none. */
export function parameterHeaders(
  parameters: readonly HeaderParameter[],
  args: Record<string, unknown>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of parameters) {
    const value = path.reduce<unknown>((node, name) => (isObject(node) ? node[name] : undefined), args);
    const text = typeof value === "object" || value === undefined ? undefined : String(value);
    if (text !== undefined) headers[`Mcp-Param-${header}`] = encode(text);
  }
  return headers;
}

function encode(text: string): string {
  return PLAIN.test(text) && !ENCODED.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

function first(attempts: readonly (() => string | undefined)[]): string | undefined {
  for (const attempt of attempts) {
    const problem = attempt();
    if (problem !== undefined) return problem;
  }
  return undefined;
}
