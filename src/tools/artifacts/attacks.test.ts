import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampled } from "../../../test/support/long.ts";
import { processArtifact } from "./pipeline.ts";
import { type Attack, attacksOn } from "./testing/attacks.ts";
import { type Gallery, inParallel, openGallery } from "./testing/browser.ts";
import { type Canary, startCanary } from "./testing/canary.ts";
import { hasBrowser } from "./testing/chromium.ts";

/** How long to wait for requests that an attack delays. */
const GRACE_MS = 1_000;
const AT_ONCE = 4;

describe.skipIf(!hasBrowser())("hostile artifacts in a real browser", () => {
  let gallery: Gallery;
  let canary: Canary;
  let attacks: Attack[];

  beforeAll(async () => {
    gallery = await openGallery();
    canary = await startCanary();
    attacks = attacksOn(canary);
  });

  afterAll(async () => {
    await gallery?.close();
    await canary?.close();
  });

  test("the canary hears traffic that is not contained", async () => {
    const page = await gallery.browser.newPage();
    await page.goto(`${gallery.origin}/uncontained`);
    await page.evaluate(
      ({ url, udpPort }) => {
        new Image().src = `${url}/control`;
        const peer = new RTCPeerConnection({ iceServers: [{ urls: `stun:127.0.0.1:${udpPort}` }] });
        peer.createDataChannel("x");
        void peer.createOffer().then((offer) => peer.setLocalDescription(offer));
      },
      { url: canary.url, udpPort: canary.udpPort },
    );
    await expect
      .poll(() => canary.heard.some((line) => line.includes("/control")), { timeout: 5_000 })
      .toBe(true);
    await expect.poll(() => canary.heard.includes("a datagram"), { timeout: 10_000 }).toBe(true);
    await page.close();
    canary.heard.length = 0;
  });

  /** Shows each attack. Returns those that reached the page around the frame. */
  async function reachInto(some: readonly Attack[], alone: boolean): Promise<string[]> {
    const reached: string[] = [];
    await inParallel(some, AT_ONCE, async (attack) => {
      const exhibit = await gallery.open(await made(attack), { alone, patienceMs: 1_000 });
      const around = await exhibit.page.evaluate(() => ({
        pwned: "pwned" in window,
        title: document.title,
        elements: document.body.children.length,
      }));
      const untouched = alone || (around.title === "app" && exhibit.page.url() === `${gallery.origin}/`);
      if (around.pwned || around.elements !== 1 || !untouched) reached.push(attack.name);
      const spoofed = (await exhibit.messages()).some(
        (one) => one.tackle === "frame-1" && ("pwned" in one || one.message === "spoofed"),
      );
      if (spoofed) reached.push(`${attack.name}: spoofed`);
      await exhibit.close();
    });
    await pause(GRACE_MS);
    return reached;
  }

  test.each([
    ["in a frame of the app", false],
    ["opened alone", true],
  ])("reach nothing outside and nothing of the app, %s", { timeout: 120_000 }, async (_, alone) => {
    canary.heard.length = 0;
    // Alone, a component can do no more than a page can.
    const tried = attacks.filter(({ type }) => !alone || type !== "react");
    const staying = tried.filter(({ leads }) => !leads);
    expect(staying.length).toBeGreaterThan(alone ? 60 : 120);
    expect(await reachInto(sampled(staying, alone ? 4 : 3), alone)).toEqual([]);
    expect(canary.heard).toEqual([]);
    expect(
      await reachInto(
        sampled(
          tried.filter(({ leads }) => leads),
          3,
        ),
        alone,
      ),
    ).toEqual([]);
    expect(canary.heard.filter((line) => line !== "a connection")).toEqual([]);
    expect(await gallery.browser.contexts()[0]?.cookies()).toEqual([]);
  });
});

/** The artifact as it would be stored: processed, or unchanged if the pipeline refuses it. */
async function made({ name: title, type, code }: Attack) {
  const processed = await processArtifact({ type, code });
  return { type, title, code: processed.ok ? processed.code : code };
}
