import { expect, test, vi } from "vitest";
import type { ConnectedProvider } from "../protocol/catalogue.ts";
import deepseek from "./providers/deepseek.ts";
import { createVendorLists } from "./vendor-lists.ts";

test("a vendor that did not answer last time is asked again, but not waited for", async () => {
  let sent = 0;
  const lists = createVendorLists(
    {
      send({ signal }) {
        sent++;
        if (sent === 1) return Promise.reject(new Error("down"));
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      },
      close: async () => {},
    },
    undefined,
  );
  const connected: ConnectedProvider = {
    provider: deepseek,
    baseUrl: "http://vendor.test",
    key: "k",
  };
  lists.follow(connected, [deepseek]);
  await connected.refresh?.();
  const later = performance.now() + 61_000;
  const now = vi.spyOn(performance, "now").mockReturnValue(later);
  // Both would hang otherwise.
  await connected.refresh?.();
  await connected.refresh?.();
  now.mockRestore();
  expect(sent).toBe(2);
  await lists.close();
});
