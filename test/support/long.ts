/** True in `npm run test:long`, which tries every combination. `npm test` tries those that differ most. */
export const isLong = process.env.TACKLE_TEST_LONG === "1";

/** Every n-th of many inputs of one kind, and all of them in `npm run test:long`. */
export function sampled<Input>(all: readonly Input[], every: number): Input[] {
  return all.filter((_, at) => isLong || at % every === 0);
}
