import { isObject, type JsonSchema, parseObject } from "../../protocol/json.ts";
import { placesIn } from "./places.ts";

type Schema = Record<string, unknown>;

/** Other names that tools use for the same parameter. */
const SYNONYMS: readonly (readonly string[])[] = [
  ["query", "pattern", "search", "text", "needle", "contains", "q"],
  ["content", "text", "contents", "data", "body"],
  ["destination", "to", "newPath", "target", "targetPath"],
  ["oldText", "old", "find", "oldString", "old_str", "search"],
  ["newText", "new", "replace", "newString", "new_str", "replacement"],
  ["path", "file", "filePath", "filename"],
  ["timeZone", "timezone", "time_zone", "tz", "zone"],
  ["url", "uri", "address", "href", "link"],
  ["command", "cmd", "script"],
];

/** Renames arguments to what this tool calls them, and drops those that it does not take. */
export function fitArguments(wanted: Record<string, unknown>, schema: JsonSchema): Record<string, unknown> {
  const known = propertiesOf(schema);
  if (Object.keys(known).length === 0) return wanted;
  const fitted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(wanted)) {
    const group = SYNONYMS.find((names) => names[0] === name) ?? [];
    const place = [name, ...group].find((candidate) => candidate in known && !(candidate in fitted));
    if (place) fitted[place] = value;
  }
  return fitted;
}

/** Fills the arguments of an unknown tool from a message: JSON, pairs, quotes, numbers, words. */
export function fillArguments(text: string, toolName: string, schema: JsonSchema): Record<string, unknown> {
  const properties = propertiesOf(schema);
  const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : []);
  const given: Record<string, unknown> = { ...jsonIn(text, properties) };
  let rest = text.replace(/\{[\s\S]*\}/, " ");
  for (const match of text.matchAll(/([A-Za-z_][\w-]*)\s*[=:]\s*("[^"]*"|'[^']*'|`[^`]*`|[^\s,;]+)/g)) {
    const [pair, name = "", value = ""] = match;
    const property = nameIn(properties, name);
    if (!property || property in given) continue;
    given[property] = typed(unquote(value), properties[property]);
    rest = rest.replace(pair, " ");
  }
  const source: Source = {
    text,
    quotes: [...rest.matchAll(/"([^"]+)"|'([^']+)'(?!\w)|`([^`]+)`/g)].map((m) => m[1] ?? m[2] ?? m[3] ?? ""),
    numbers: [...rest.matchAll(/(?<![\w.])-?\d+(?:\.\d+)?/g)].map((m) => Number(m[0])),
    words: remainder(rest, toolName),
  };
  for (const [name, property] of Object.entries(properties)) {
    if (name in given) continue;
    const mentioned = new RegExp(`\\b${name.replace(/\W/g, "")}\\b`, "i").test(source.words);
    const value = required.has(name) ? valueFor(name, property, source) : hinted(property, source, mentioned);
    if (value !== undefined) given[name] = value;
  }
  return given;
}

interface Source {
  text: string;
  quotes: string[];
  numbers: number[];
  words: string;
}

function valueFor(name: string, property: Schema, source: Source): unknown {
  if (Array.isArray(property.enum))
    return chosen(property.enum, source.text) ?? property.default ?? property.enum[0];
  if (property.const !== undefined) return property.const;
  const type = typeOf(property);
  if (type === "number" || type === "integer") {
    const number = source.numbers.shift() ?? property.default ?? property.minimum ?? 1;
    return type === "integer" ? Math.round(Number(number)) : number;
  }
  if (type === "boolean") return property.default ?? !/\b(no|not|false|off|without)\b/i.test(source.text);
  if (type === "array") return listFor(property, source);
  if (type === "object") return {};
  return source.quotes.shift() ?? property.default ?? textFor(name, property, source);
}

/** Sets an optional field only if the message clearly mentions it. */
function hinted(property: Schema, source: Source, mentioned: boolean): unknown {
  if (Array.isArray(property.enum)) return chosen(property.enum, source.text);
  const type = typeOf(property);
  if (type === "string" || type === undefined) return source.quotes.shift();
  if ((type === "number" || type === "integer") && (mentioned || source.numbers.length === 1))
    return source.numbers.shift();
  return type === "boolean" && mentioned ? true : undefined;
}

function listFor(property: Schema, source: Source): unknown[] {
  const items = isObject(property.items) ? property.items : {};
  const numeric = typeOf(items) === "number" || typeOf(items) === "integer";
  const found = numeric ? source.numbers.splice(0) : source.quotes.splice(0);
  if (found.length > 0 || numeric) return found;
  return source.words.split(/\s*,\s*|\s+and\s+/).filter(Boolean);
}

const BY_NAME: readonly (readonly [RegExp, (source: Source) => string | undefined])[] = [
  [/url|uri|link|href/i, ({ text }) => /https?:\/\/[^\s"'<>`)]+/.exec(text)?.[0]],
  [
    /path|file|folder|dir/i,
    ({ text }) => /(?:\.{0,2}\/)?[\w.-]+(?:\/[\w.-]+)*\.\w{1,8}\b/.exec(text)?.[0] ?? ".",
  ],
  [/zone/i, ({ text }) => placesIn(text)[0]?.zone],
  [/city|place|location|country|region/i, ({ text }) => placesIn(text)[0]?.name],
  [/mail/i, ({ text }) => /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(text)?.[0]],
  [/date|day/i, ({ text }) => /\d{4}-\d{2}-\d{2}/.exec(text)?.[0]],
];

function textFor(name: string, property: Schema, source: Source): string {
  const finder = BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
  const example = Array.isArray(property.examples) ? String(property.examples[0]) : undefined;
  const number = source.words === "" ? source.numbers.shift() : undefined;
  return finder?.(source) ?? (source.words || (number === undefined ? (example ?? name) : String(number)));
}

function chosen(options: unknown[], text: string): unknown {
  return options.find((option) => new RegExp(`\\b${String(option).replace(/\W/g, ".")}\\b`, "i").test(text));
}

/** Returns the message without the tool's name and the words around it. */
function remainder(text: string, toolName: string): string {
  const words = toolName.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const name = new RegExp(`\\b${words.join("[\\W_]*")}\\b`, "i");
  const [before = "", after] = name.test(text) ? text.split(name, 2) : [text];
  const kept = after?.trim() ? after : before;
  return kept
    .replace(/["'`]/g, "")
    .replace(
      /^\W*(?:(?:please|can you|could you|use|call|run|invoke|try|the|a|an|tool|with|for|about|on|of|to|in|and|my|me)\b\s*)+/i,
      "",
    )
    .replace(/\b(?:please|with|for|using|tool)\W*$/i, "")
    .replace(/[\s,.?!:;]+$/, "")
    .trim();
}

/** Returns all fields of a schema, including those of its alternatives. */
export function propertiesOf(schema: JsonSchema): Record<string, Schema> {
  const properties: Record<string, Schema> = {};
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    const branches = schema[key];
    for (const branch of Array.isArray(branches) ? branches : []) {
      if (isObject(branch)) Object.assign(properties, propertiesOf(branch));
    }
  }
  for (const [name, property] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    properties[name] = isObject(property) ? property : {};
  }
  return properties;
}

function typeOf(property: Schema): string | undefined {
  const type = Array.isArray(property.type) ? property.type.find((one) => one !== "null") : property.type;
  return typeof type === "string" ? type : undefined;
}

function jsonIn(text: string, properties: Record<string, Schema>): Record<string, unknown> | undefined {
  const json = parseObject(/\{[\s\S]*\}/.exec(text)?.[0] ?? "");
  if (!json) return undefined;
  if (Object.keys(properties).length === 0) return json;
  return Object.fromEntries(Object.entries(json).filter(([name]) => name in properties));
}

function nameIn(properties: Record<string, Schema>, name: string): string | undefined {
  const plain = (text: string) => text.replace(/[\W_]/g, "").toLowerCase();
  return Object.keys(properties).find((property) => plain(property) === plain(name));
}

function typed(value: string, property: Schema | undefined): unknown {
  const type = property ? typeOf(property) : undefined;
  if ((type === "number" || type === "integer") && value !== "" && Number.isFinite(Number(value)))
    return Number(value);
  if (type === "boolean") return /^(true|yes|on|1)$/i.test(value);
  if (type === "array") return value.split(/[|+]/);
  return value;
}

function unquote(text: string): string {
  return /^(["'`]).*\1$/s.test(text) ? text.slice(1, -1) : text;
}
