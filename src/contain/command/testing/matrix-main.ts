import { probeTier, type Tier } from "./matrix.ts";

/** A separate process for another user. Prints one cell a line; further words are the only names to try. */
const [, , tier = "bubblewrap", ...only] = process.argv;
for await (const cell of probeTier(tier as Tier, (name) => only.length === 0 || only.includes(name)))
  console.log(JSON.stringify(cell));
