import { createHash } from "node:crypto";
import type { Table, Value } from "./entries.ts";

/** The key of rows without a session: settings, limits, accounts. */
const NO_SESSION = "";

/** One hash per session, independent of the engine and of the order of rows: the sum of the hashes of its rows. */
export class SessionHashes {
  readonly #sums = new Map<string, bigint>();
  readonly #sessionOf = new Map<string, string>();

  /** Add tables in the order of `inOrder`, so that the run or artifact of a row is known. */
  add(table: Table, row: readonly Value[]): void {
    const at = (column: string): string | undefined => {
      const value = row[table.columns.indexOf(column)];
      return typeof value === "string" ? value : undefined;
    };
    const session = table.name === "sessions" ? at("id") : this.#sessionBy(at);
    if (table.name === "runs" || table.name === "artifacts")
      this.#sessionOf.set(at("id") ?? "", session ?? NO_SESSION);
    const text = JSON.stringify([table.name, ...table.columns.map((column, index) => [column, row[index]])]);
    // PostgreSQL cannot store this character.
    const plain = text.replaceAll("\\u0000", "\uFFFD");
    const hash = BigInt(`0x${createHash("sha256").update(plain).digest("hex")}`);
    const key = session ?? NO_SESSION;
    this.#sums.set(key, BigInt.asUintN(256, (this.#sums.get(key) ?? 0n) + hash));
  }

  /** Returns the sessions that differ or are missing. */
  differences(others: SessionHashes): string[] {
    const all = new Set([...this.#sums.keys(), ...others.#sums.keys()]);
    return [...all].filter((id) => this.#sums.get(id) !== others.#sums.get(id));
  }

  #sessionBy(at: (column: string) => string | undefined): string | undefined {
    const parent = at("run_id") ?? at("artifact_id");
    return at("session_id") ?? (parent === undefined ? undefined : this.#sessionOf.get(parent));
  }
}
