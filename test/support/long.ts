/** True in `npm run test:long`, which tries every combination. `npm test` tries those that differ most. */
export const isLong = process.env.TACKLE_TEST_LONG === "1";
