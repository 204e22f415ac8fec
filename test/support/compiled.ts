import { flushCompileCache } from "node:module";
import { afterAll } from "vitest";

// A worker is ended before it writes what it compiled. The next one, with the same modules, then starts in half the time.
afterAll(() => flushCompileCache());
