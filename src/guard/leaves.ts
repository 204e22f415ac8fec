import { isObject, type JsonSchema } from "../protocol/json.ts";
import { lookUp } from "../protocol/json-pointer.ts";

/** One value of the arguments: its path, and the last name in it. */
export interface Leaf {
  readonly path: string;
  readonly name: string;
  readonly value: string | number | boolean;
  /** True for the tool's own default: neither the model nor the person chose it. */
  readonly isDefault: boolean;
}

interface Place {
  path: readonly string[];
  name: string;
}

const MOST_DEPTH = 8;

/** Names of texts for people to read. What they say matters, but not where it goes. */
const TEXTS = new Set(
  "body text content contents message subject title description comment note notes caption summary html markdown".split(
    " ",
  ),
);
/** Words that may be before them: `emailBody`, `new_text`. */
const QUALIFIERS = new Set("email mail post reply issue page file event plain new old".split(" "));
const ADDRESSES = new Set(
  "url uri urls uris link links href website webpage site host hostname domain endpoint webhook callback server address ip fqdn proxy".split(
    " ",
  ),
);
/** An address anywhere in a text, or a text that begins like one. */
const ADDRESS = /:\/\/|^\s*(?:www\.|\/\/|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}[/:?])/i;

/** Returns the values of arguments, without empty ones. */
export function leavesOf(args: unknown, schema: JsonSchema): Leaf[] {
  return collect(args, shapesOf(schema, schema), schema, { path: [], name: "" });
}

/** True for a text that people will read, such as the body of a message. */
export function isContent({ name, value }: Leaf): boolean {
  return typeof value === "string" && namesText(name, TEXTS);
}

/** True if a name ends in one of these words for texts, and has nothing before it that may make it a target. */
export function namesText(name: string, texts: ReadonlySet<string>): boolean {
  const words = wordsOf(name);
  return texts.has(words.at(-1) ?? "") && words.every((word) => texts.has(word) || QUALIFIERS.has(word));
}

/** True for a value that says where to connect to. */
export function isAddress({ name, value }: Leaf): boolean {
  return typeof value === "string" && (ADDRESS.test(value) || ADDRESSES.has(wordsOf(name).at(-1) ?? ""));
}

/** False for a value that cannot be what its name says: an e-mail address without @, a date without a digit. */
export function fitsName(name: string, value: string): boolean {
  const last = wordsOf(name).at(-1) ?? "";
  if (/^e?mails?$/.test(last)) return value.includes("@");
  if (/^(?:ur[il]|link|website|webpage)s?$/.test(last)) return /[./]/.test(value);
  return !/^(?:date|day|time|start|end)$/.test(last) || /\d/.test(value);
}

/** Splits a name into its words: `replyTo` and `reply_to` are `reply` and `to`. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[\s_.-]+/);
}

/** Collects the leaves of a value. `shapes` are the schemas that may describe it. */
function collect(value: unknown, shapes: readonly JsonSchema[], root: JsonSchema, at: Place): Leaf[] {
  const inside = (found: unknown[]) => found.flatMap((one) => shapesOf(one, root));
  if (Array.isArray(value)) {
    const items = inside(shapes.map((shape) => shape.items));
    return value.flatMap((inner, index) =>
      collect(inner, items, root, { path: [...at.path, String(index)], name: at.name }),
    );
  }
  if (isObject(value)) {
    const all = shapes.flatMap(({ properties }) => (isObject(properties) ? [properties] : []));
    return Object.entries(value).flatMap(([key, inner]) => {
      const known = all.flatMap((properties) => (Object.hasOwn(properties, key) ? [properties[key]] : []));
      const path = [...at.path, key];
      const found = collect(inner, inside(known), root, { path, name: key });
      // A name that the schema does not know was chosen by the model, and may carry something itself.
      const isChosen =
        known.length === 0 && (at.path.length > 0 || all.some((one) => Object.keys(one).length > 0));
      return isChosen ? [...found, { path: path.join("."), name: "", value: key, isDefault: false }] : found;
    });
  }
  if (value === "" || (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean"))
    return [];
  const isDefault = shapes.some((shape) => shape.default === value);
  return [{ path: at.path.join("."), name: at.name, value, isDefault }];
}

/** Returns a schema with all that it combines or refers to. */
function shapesOf(schema: unknown, root: JsonSchema, depth = 0): JsonSchema[] {
  if (!isObject(schema) || depth > MOST_DEPTH) return [];
  const { anyOf, oneOf, allOf, $ref } = schema;
  const parts = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (typeof $ref === "string") parts.push(lookUp(root, $ref));
  return [schema, ...parts.flatMap((part) => shapesOf(part, root, depth + 1))];
}
