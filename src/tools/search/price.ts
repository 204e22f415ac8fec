import { isObject } from "../../protocol/json.ts";
import type { SearchProvider } from "./provider.ts";

/** The price of a search in dollars. `own` is the operator's price table as JSON: `{"tavily":0.005}`. */
export function priceOf({ id, priceUsd }: SearchProvider, own: string | undefined): number {
  const price = own === undefined ? undefined : tableOf(own)[id];
  return typeof price === "number" && price >= 0 ? price : priceUsd;
}

function tableOf(json: string): Record<string, unknown> {
  try {
    const table: unknown = JSON.parse(json);
    return isObject(table) ? table : {};
  } catch {
    return {}; // Prices are only informative, so a table that cannot be read is ignored.
  }
}
