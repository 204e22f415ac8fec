import { vi } from "vitest";

/** As for `expect.poll` in vitest.config.ts: on a busy machine, a second is not enough. */
const PATIENT = { timeout: 60_000 };
type Options = number | { timeout?: number; interval?: number };
const patiently = (options: Options = {}) =>
  typeof options === "number" ? options : { ...PATIENT, ...options };
const { waitFor, waitUntil } = vi;

vi.waitFor = (check, options) => waitFor(check, patiently(options));
vi.waitUntil = (check, options) => waitUntil(check, patiently(options));
