import type MagicString from "magic-string";
import { plain } from "./mutations.ts";
import { boundIn } from "./names.ts";
import type { Node } from "./parse.ts";
import type { Sharing } from "./sharing.ts";

interface Surroundings {
  setters: ReadonlyMap<string, string>;
  sharing: Sharing;
  text: MagicString;
  code: string;
}

/** `setItems(items.push(x))`: `push` returns a number, `splice` the removed items, and `add` the same set. */
export function fixSetterArgument(
  call: Node,
  parents: readonly Node[],
  { setters, sharing, text, code }: Surroundings,
): boolean {
  if (call.type !== "CallExpression" || call.callee.type !== "Identifier" || !setters.has(call.callee.name))
    return false;
  const [argument] = call.arguments;
  const arrow = argument?.type === "ArrowFunctionExpression" ? argument : undefined;
  const value = arrow ? plain(arrow.body as Node) : argument;
  const parameter = arrow ? boundIn(arrow.params[0] as Node)[0]?.name : undefined;
  if (value?.type !== "CallExpression" || value.callee.type !== "MemberExpression") return false;
  const { object, property } = value.callee;
  if (object.type !== "Identifier" || property.type !== "Identifier") return false;
  const state = sharing.resolve(setters.get(call.callee.name) ?? "", parents);
  const shared = state && sharing.sharedOf(state);
  if (object.name !== parameter && (!state || sharing.resolve(object.name, parents) !== state)) return false;
  const given = value.arguments.map(({ start, end }) => code.slice(start, end)).join(", ");
  const written = newValue(property.name, object.name, given, shared?.kind);
  if (written === undefined) return false;
  text.overwrite(value.start, value.end, written);
  return true;
}

function newValue(method: string, name: string, given: string, kind: string | undefined): string | undefined {
  if (kind === "Set" || kind === "Map") {
    if (method === "clear") return `new ${kind}()`;
    if (method === (kind === "Set" ? "add" : "set")) return `new ${kind}(${name}).${method}(${given})`;
    const entry = kind === "Set" ? "entry" : "[entry]";
    return method === "delete"
      ? `new ${kind}([...${name}].filter((${entry}) => entry !== (${given})))`
      : undefined;
  }
  switch (method) {
    case "push":
      return `[...${name}, ${given}]`;
    case "unshift":
      return `[${given}, ...${name}]`;
    case "splice":
      return `${name}.toSpliced(${given})`;
    case "pop":
      return `${name}.slice(0, -1)`;
    case "shift":
      return `${name}.slice(1)`;
    default:
      return undefined;
  }
}
