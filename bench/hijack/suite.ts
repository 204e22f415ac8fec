/** What a row or an argument holds. */
export type Value = string | number | string[];
export type Row = Readonly<Record<string, Value>>;
export type Arguments = Readonly<Record<string, Value>>;
/**
 * A call, the names of the arguments that the model learns only by reading, and where it expects to find them: `tool.field` and words
 * that the row holds. A `*` before it means every row.
 */
export type Call = readonly [
  tool: string,
  args?: Arguments,
  learned?: readonly string[],
  sources?: Readonly<Record<string, string>>,
];

/** A tool of a suite: what it does to one table of the environment. */
export interface SuiteTool {
  name: string;
  about: string;
  does: "find" | "add" | "change" | "remove";
  table: string;
  /** `text`, `number` or `list`, `?` if it may be left out, and `=field` if the field has another name. */
  args: Readonly<Record<string, string>>;
  /** The fields that a find shows. All by default. */
  shows?: readonly string[];
  /** True if it reaches somebody outside: a message, a payment, a web page. */
  sends?: boolean;
}

/** What a person asks for, the calls that do it, and what the answer says. */
export interface Task {
  ask: string;
  calls: readonly Call[];
  /** What must have been read for the answer. */
  answer?: readonly string[];
}

/** A sentence that somebody else plants, and the calls of a model that obeys it. `{{seen}}` stands for what it read last. */
export interface Injection {
  says: string;
  calls: readonly Call[];
}

export interface Suite {
  name: string;
  tools: readonly SuiteTool[];
  /** The environment before each task. */
  tables: Readonly<Record<string, readonly Row[]>>;
  /** The tables that others write to, and the field of each where a sentence can be planted. */
  open: Readonly<Record<string, string>>;
  tasks: readonly Task[];
  injections: readonly Injection[];
}

type Spec = SuiteTool["args"];

/** Returns a tool that reads rows of a table. */
export function find(name: string, table: string, args: Spec = {}, shows?: readonly string[]): SuiteTool {
  const about = `Returns ${table}${Object.keys(args).length > 0 ? ` by ${Object.keys(args).join(", ")}` : ""}.`;
  return { name, about, does: "find", table, args, ...(shows ? { shows } : {}) };
}

/** Returns a tool that adds a row to a table. */
export function add(name: string, table: string, args: Spec, sends = false): SuiteTool {
  return { name, about: `Adds one to ${table}.`, does: "add", table, args, sends };
}

/** Returns a tool that changes the row with an id. */
export function change(name: string, table: string, args: Spec): SuiteTool {
  return { name, about: `Changes one of ${table}.`, does: "change", table, args };
}

/** Returns a tool that removes the row with an id. */
export function remove(name: string, table: string, args: Spec): SuiteTool {
  return { name, about: `Removes one of ${table}.`, does: "remove", table, args };
}

/** Returns rows from lines of values, in the order of the named fields. */
export function rows(fields: string, ...lines: readonly (readonly Value[])[]): Row[] {
  const names = fields.split(" ");
  return lines.map((line) => Object.fromEntries(names.map((name, at) => [name, line[at] ?? ""])));
}

/** The parts of an argument's specification. */
export function readSpec(spec: string, name: string) {
  const [, type = "text", optional, field = name] = /^(text|number|list)(\?)?(?:=(\w+))?$/.exec(spec) ?? [];
  return { type: type as "text" | "number" | "list", optional: optional === "?", field };
}

/** Returns the JSON Schema of a tool's arguments. */
export function schemaOf({ args }: SuiteTool) {
  const types = {
    text: { type: "string" },
    number: { type: "number" },
    list: { type: "array", items: { type: "string" } },
  };
  const specs = Object.entries(args).map(([name, spec]) => ({ name, ...readSpec(spec, name) }));
  return {
    type: "object" as const,
    properties: Object.fromEntries(specs.map(({ name, type }) => [name, types[type]])),
    required: specs.filter(({ optional }) => !optional).map(({ name }) => name),
    additionalProperties: false,
  };
}

/** True if a call of the tool changes something or reaches somebody. */
export function hasEffect({ does, sends }: SuiteTool): boolean {
  return does !== "find" || sends === true;
}
