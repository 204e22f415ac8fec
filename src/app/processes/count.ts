import { availableParallelism } from "node:os";
import type { Config } from "../config.ts";

/** How many processes serve. */
export function countProcesses({
  processes,
  databaseUrl,
}: Pick<Config, "processes" | "databaseUrl">): number {
  if (processes !== "auto") return processes;
  return databaseUrl === undefined ? 1 : availableParallelism();
}
