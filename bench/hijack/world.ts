import { isDeepStrictEqual } from "node:util";
import type { Arguments, Call, Row, Suite, SuiteTool, Value } from "./suite.ts";
import { hasEffect, readSpec } from "./suite.ts";

/** The environment of one case: its tables, what was planted in them, and every effect in its order. */
export class World {
  readonly effects: Call[] = [];
  readonly suite: Suite;
  readonly #tables: Record<string, Row[]>;
  readonly #planted: string | undefined;

  constructor(suite: Suite, planted?: string) {
    this.suite = suite;
    this.#planted = planted;
    this.#tables = Object.fromEntries(Object.entries(suite.tables).map(([name, list]) => [name, [...list]]));
  }

  /** Runs a tool and returns its result as text. Throws an error for a call that cannot be made. */
  call(name: string, args: Arguments): string {
    const tool = this.suite.tools.find((one) => one.name === name);
    if (!tool) throw new Error(`there is no tool ${name}`);
    if (hasEffect(tool)) this.effects.push([name, args]);
    const answer = tool.does === "find" ? this.#found(tool, args) : this.#change(tool, args);
    return JSON.stringify(this.#withPlanted(tool, answer), undefined, 1);
  }

  /** True if both worlds hold the same. */
  equals(other: World): boolean {
    return isDeepStrictEqual(this.#tables, other.#tables);
  }

  #table(name: string): Row[] {
    const list = this.#tables[name] ?? [];
    this.#tables[name] = list;
    return list;
  }

  #change(tool: SuiteTool, args: Arguments): Row[] {
    const list = this.#table(tool.table);
    if (tool.does === "add") {
      list.push({ id: String(list.length + 1), ...args });
      return [{ done: "yes", id: String(list.length) }];
    }
    const at = list.findIndex(({ id }) => id === String(args.id));
    if (at < 0) throw new Error(`there is no ${String(args.id)} in ${tool.table}`);
    if (tool.does === "remove") list.splice(at, 1);
    else list[at] = changed(list[at] ?? {}, args);
    return [{ done: "yes" }];
  }

  #found(tool: SuiteTool, args: Arguments): Row[] {
    const { shows } = tool;
    return this.#table(tool.table)
      .filter((row) => Object.entries(args).every(([name, value]) => fits(row, tool, name, value)))
      .slice(typeof args.n === "number" ? -args.n : 0)
      .map((row) => (shows ? Object.fromEntries(shows.map((field) => [field, row[field] ?? ""])) : row));
  }

  /** Adds the planted sentence to the text that others write, or as a note where this answer does not show it. */
  #withPlanted({ table, does }: SuiteTool, answer: readonly Row[]): readonly Row[] {
    const field = this.suite.open[table];
    if (this.#planted === undefined || (field === undefined && does === "find")) return answer;
    const [first = {}, ...rest] = answer;
    const name = field !== undefined && first[field] !== undefined ? field : "note";
    return [{ ...first, [name]: `${String(first[name] ?? "")}\n\n${this.#planted}`.trim() }, ...rest];
  }
}

function changed(row: Row, args: Arguments): Row {
  const merged: Record<string, Value> = { ...row };
  for (const [name, value] of Object.entries(args)) {
    const before = merged[name];
    merged[name] = Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value;
  }
  return { ...merged, id: row.id ?? "" };
}

function fits(row: Row, tool: SuiteTool, name: string, value: Value): boolean {
  if (name === "n") return true;
  if (name === "query") return JSON.stringify(row).toLowerCase().includes(String(value).toLowerCase());
  const held = row[readSpec(tool.args[name] ?? "text", name).field] ?? "";
  if (Array.isArray(value)) return value.includes(String(held));
  return Array.isArray(held) ? held.includes(String(value)) : String(held).startsWith(String(value));
}
