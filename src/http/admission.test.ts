import { expect, test, vi } from "vitest";
import { admitFollower, createAdmission, watchLoop } from "./admission.ts";
import { ManualPulse } from "./testing/manual-pulse.ts";

test("admission ends at the maximum of streams, and earlier if the event loop is late", () => {
  const pulse = new ManualPulse();
  const admit = createAdmission({ maxStreams: 100, pulse, random: () => 0 });
  expect(admit(99).allowed).toBe(true);
  expect(admit(100)).toEqual({ allowed: false, retryAfter: 5 });
  pulse.lag = 51;
  expect(admit(40)).toEqual({ allowed: false, retryAfter: 2 });
});

test("a process that is busy without new streams admits no more until it is less busy", () => {
  const pulse = new ManualPulse();
  const admit = createAdmission({ pulse, random: () => 0 });
  pulse.look(0.5);
  expect(admit(200).allowed).toBe(true);
  pulse.look(0.99);
  expect(admit(201).allowed).toBe(true);
  pulse.look(0.99);
  expect(admit(202).allowed).toBe(true);
  for (let look = 0; look < 8; look++) pulse.look(0.99);
  expect(admit(203)).toEqual({ allowed: false, retryAfter: 2 });
  pulse.look(0.5);
  expect(admit(203).allowed).toBe(true);
});

test("those who are refused together are told to come back at different times", () => {
  const admit = createAdmission({ maxStreams: 100, pulse: new ManualPulse() });
  const waits = Array.from({ length: 500 }, () => admit(100).retryAfter);
  expect(new Set(waits)).toEqual(new Set([5, 6, 7, 8, 9, 10, 11, 12]));
});

test("a run that exists can be followed when new work is refused", () => {
  const pulse = new ManualPulse();
  pulse.lag = 10_000;
  const admit = createAdmission({ maxStreams: 100, pulse });
  expect([99, 100, 124].map((streams) => admit(streams).allowed)).toEqual([false, false, false]);
  expect([99, 100, 124].map((streams) => admitFollower(streams, 100).allowed)).toEqual([true, true, true]);
  expect(admitFollower(125, 100)).toMatchObject({ allowed: false, retryAfter: expect.any(Number) });
});

test("a few streams are always admitted, however busy the process is", () => {
  const pulse = new ManualPulse();
  const admit = createAdmission({ pulse });
  pulse.lag = 10_000;
  for (let look = 0; look < 20; look++) pulse.look(1);
  expect(admit(31).allowed).toBe(true);
  expect(admit(32).allowed).toBe(false);
});

test("an idle process admits a sudden crowd only as long as its cost is unknown", () => {
  const pulse = new ManualPulse();
  const admit = createAdmission({ pulse });
  let streams = 0;
  for (let asked = 0; asked < 2_000; asked++) if (admit(streams).allowed) streams++;
  expect(streams).toBe(128);
  // Busy with the new streams: no reason yet to admit none, nor to admit more.
  pulse.look(1);
  expect(admit(streams).allowed).toBe(false);
  pulse.look(0.2);
  for (let asked = 0; asked < 2_000; asked++) if (admit(streams).allowed) streams++;
  expect(streams).toBe(2 * 128 + 32);
});

/** A process that has learned that it can serve a good 600 streams. */
function experienced(pulse: ManualPulse) {
  const admit = createAdmission({ pulse });
  for (const [streams, share] of [
    [128, 0.2],
    [288, 0.45],
    [600, 0.95],
  ] as const) {
    pulse.look(share);
    admit(streams);
    pulse.look(share);
    expect(admit(streams)).toMatchObject({ allowed: true });
  }
  return admit;
}

test("a process remembers how many streams it served, and admits as many at once when they come back", () => {
  const admit = experienced(new ManualPulse());
  let streams = 0;
  for (let asked = 0; asked < 2_000; asked++) if (admit(streams).allowed) streams++;
  expect(streams).toBeGreaterThan(600);
  expect(streams).toBeLessThan(640);
});

test("a process that is busy because many streams have just ended still knows how many it served", () => {
  const pulse = new ManualPulse();
  const admit = experienced(pulse);
  pulse.look(1);
  pulse.look(1);
  let streams = 0;
  for (let asked = 0; asked < 2_000; asked++) if (admit(streams).allowed) streams++;
  expect(streams).toBeGreaterThan(600);
});

test("a process that was full for long, and whose streams have all ended, admits a crowd up to what it served before", () => {
  const pulse = new ManualPulse();
  const admit = experienced(pulse);
  for (let look = 0; look < 30; look++) pulse.look(1);
  let streams = 0;
  for (let look = 0; look < 12; look++) {
    for (let asked = 0; asked < 60; asked++) if (admit(streams).allowed) streams++;
    pulse.look(1);
  }
  expect(streams).toBeGreaterThan(600);
  expect(streams).toBeLessThan(640);
});

test("a process that is full of starting a crowd for three seconds admits it up to what it served before", () => {
  const pulse = new ManualPulse();
  const admit = experienced(pulse);
  pulse.look(0);
  let streams = 0;
  for (let look = 0; look < 12; look++) {
    for (let asked = 0; asked < 60; asked++) if (admit(streams).allowed) streams++;
    pulse.look(1);
  }
  expect(streams).toBeGreaterThan(600);
  expect(streams).toBeLessThan(640);
});

test("a refusal says whether it may change soon: not at the maximum, nor when the process is known to be full", () => {
  const pulse = new ManualPulse();
  const admit = createAdmission({ pulse, maxStreams: 300 });
  expect(admit(300).mayChange).toBeUndefined();
  expect(admit(128)).toMatchObject({ allowed: false, mayChange: true });
  for (let look = 0; look < 2; look++) pulse.look(1);
  expect(admit(128).allowed).toBe(false);
  expect(admit(128).mayChange).toBeUndefined();
});

test.each([60, 400, 1_500])(
  "arriving streams fill a process with room for %d and do not flood it",
  (capacity) => {
    const pulse = new ManualPulse();
    const admit = createAdmission({ pulse });
    let streams = 0;
    let most = 0;
    for (let look = 0; look < 400; look++) {
      let taken = 0;
      for (let asked = 0; asked < 20; asked++) {
        if (!admit(streams).allowed) continue;
        streams++;
        taken++;
      }
      most = Math.max(most, streams);
      // A new stream is as much work as ten existing ones.
      pulse.look(Math.min(1, (streams + 10 * taken) / capacity));
      if (look % 10 === 0) streams -= 1;
    }
    expect(most).toBeGreaterThan(capacity * 0.8);
    expect(most).toBeLessThanOrEqual(Math.max(capacity, 128));
  },
);

test("the pulse of a process shows that it is busy", async () => {
  const pulse = watchLoop();
  try {
    for (let tries = 0; tries < 400 && Math.min(...pulse.busy()) < 0.6; tries++) {
      const until = performance.now() + 50;
      while (performance.now() < until); // Busy on purpose.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(Math.min(...pulse.busy())).toBeGreaterThan(0.6);
    expect(pulse.looks()).toBeGreaterThan(1);
  } finally {
    pulse.stop();
  }
});

test("an idle process is not sampled, until somebody asks for a sample", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const pulse = watchLoop();
    expect(vi.getTimerCount()).toBe(0);
    pulse.looks();
    expect(vi.getTimerCount()).toBe(1);
    // The utilization is measured in real time.
    for (let look = 0; look < 100 && vi.getTimerCount() > 0; look++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      await vi.advanceTimersByTimeAsync(250);
    }
    expect(vi.getTimerCount()).toBe(0);
    pulse.busy();
    expect(vi.getTimerCount()).toBe(1);
    pulse.stop();
  } finally {
    vi.useRealTimers();
  }
});
