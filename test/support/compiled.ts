import { flushCompileCache } from "node:module";
import { afterAll } from "vitest";
import "./patience.ts";

// A worker is ended before it writes what it compiled. The next one, with the same modules, then starts in half the time.
afterAll(() => flushCompileCache());
