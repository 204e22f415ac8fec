import { createHash } from "node:crypto";
import type { Table, Value } from "./entries.ts";

/** Rows that belong to no session: settings, limits, accounts. */
const NO_SESSION = "";

/**
 * One hash for all that belongs to a session, whatever engine it was read from and in whatever order: the sum of its
 * rows' hashes.
 */
export class SessionHashes {
  readonly #sums = new Map<string, bigint>();
  readonly #sessionOf = new Map<string, string>();

  /** Tables come in the order of `inOrder`, so that a row's run or artifact is known by then. */
  add(table: Table, row: readonly Value[]): void {
    const at = (column: string): string | undefined => {
      const value = row[table.columns.indexOf(column)];
      return typeof value === "string" ? value : undefined;
    };
    const session = table.name === "sessions" ? at("id") : this.#sessionBy(at);
    if (table.name === "runs" || table.name === "artifacts")
      this.#sessionOf.set(at("id") ?? "", session ?? NO_SESSION);
    const text = JSON.stringify([table.name, ...table.columns.map((column, index) => [column, row[index]])]);
    // Not every engine keeps this one character.
    const plain = text.replaceAll("\\u0000", "\uFFFD");
    const hash = BigInt(`0x${createHash("sha256").update(plain).digest("hex")}`);
    const key = session ?? NO_SESSION;
    this.#sums.set(key, BigInt.asUintN(256, (this.#sums.get(key) ?? 0n) + hash));
  }

  /** The sessions that are not the same there, or not there at all. */
  differences(others: SessionHashes): string[] {
    const all = new Set([...this.#sums.keys(), ...others.#sums.keys()]);
    return [...all].filter((id) => this.#sums.get(id) !== others.#sums.get(id));
  }

  #sessionBy(at: (column: string) => string | undefined): string | undefined {
    const parent = at("run_id") ?? at("artifact_id");
    return at("session_id") ?? (parent === undefined ? undefined : this.#sessionOf.get(parent));
  }
}
