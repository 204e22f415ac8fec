import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { abortWith } from "./abortable.ts";

it("a controller is aborted with the first of the signals, for the same reason", () => {
  const [one, other, controller] = [new AbortController(), new AbortController(), new AbortController()];
  abortWith(controller, one.signal, other.signal);
  expect(controller.signal.aborted).toBe(false);
  other.abort("enough");
  one.abort("too late");
  expect(controller.signal.reason).toBe("enough");
});

it("a controller is aborted at once if a signal is", () => {
  const controller = new AbortController();
  const alive = new AbortController();
  abortWith(controller, alive.signal, AbortSignal.abort("before"));
  expect(controller.signal.reason).toBe("before");
  expect(getEventListeners(alive.signal, "abort")).toEqual([]);
});

it("nothing is left on a signal that lives on", () => {
  const [long, controller] = [new AbortController(), new AbortController()];
  const end = abortWith(controller, long.signal);
  end();
  long.abort();
  expect(controller.signal.aborted).toBe(false);
  expect(getEventListeners(long.signal, "abort")).toEqual([]);
});
