import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Arrival, createAdmission, createArrivals } from "./admission.ts";
import { ManualPulse } from "./testing/manual-pulse.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const START_MS = 2;
const REFUSE_MS = 0.3;
const LOOK_MS = 250;

/** A process whose clock advances by the work that is done in it, so that no test depends on the speed of this machine. */
class Process extends ManualPulse {
  streams = 0;
  admitted = 0;
  refused = 0;
  /** The longest that the streams had to wait. */
  longestMs = 0;
  readonly #capacity: number;
  readonly #arrivals;
  #clock = 0;
  #starts: (() => void)[] = [];
  #refusals = 0;
  #lookAt = LOOK_MS;
  #busyMs = 0;

  constructor(capacity: number) {
    super();
    this.#capacity = capacity;
    this.#arrivals = createArrivals(createAdmission({ pulse: this }), () => this.#clock);
  }

  arrive(count: number): void {
    for (let asked = 0; asked < count; asked++)
      void this.#arrivals.enter(() => this.streams).then((admission) => this.#take(admission));
  }

  #take({ allowed, retryAfter, started }: Arrival): void {
    if (!allowed) {
      expect(retryAfter).toBeGreaterThanOrEqual(2);
      this.refused++;
      this.#refusals++;
      return;
    }
    this.admitted++;
    this.#starts.push(started);
  }

  /** Turns of the event loop: what started at the last tick, and the tokens of 20 ms, which cost no more if they are late. */
  async live(ms: number): Promise<void> {
    for (const end = this.#clock + ms; this.#clock < end; ) {
      await vi.advanceTimersByTimeAsync(0);
      const starts = this.#starts.splice(0);
      const work =
        starts.length * START_MS + this.#refusals * REFUSE_MS + (20 * this.streams) / this.#capacity;
      this.#refusals = 0;
      this.#clock += Math.max(20, work);
      this.streams += starts.length;
      for (const started of starts) started();
      this.#busyMs += work;
      this.longestMs = Math.max(this.longestMs, work);
      if (this.#clock >= this.#lookAt) {
        this.look(Math.min(1, this.#busyMs / (this.#clock - this.#lookAt + LOOK_MS)));
        this.#lookAt = this.#clock + LOOK_MS;
        this.#busyMs = 0;
      }
      await vi.advanceTimersByTimeAsync(20);
    }
  }

  stop(): void {
    this.#arrivals.stop();
  }
}

test("of a crowd of 2,000, what a process served before is admitted within two seconds, and the rest is refused", async () => {
  const served = new Process(700);
  for (let times = 0; times < 7; times++) {
    served.arrive(95);
    await served.live(1_000);
  }
  expect(served.admitted).toBeGreaterThan(600);
  [served.streams, served.admitted, served.refused] = [0, 0, 0];
  await served.live(1_000);
  served.arrive(2_000);
  await served.live(2_000);
  expect(served.admitted).toBeGreaterThanOrEqual(0.8 * 700);
  await served.live(1_000);
  expect(served.admitted).toBeLessThanOrEqual(700);
  expect(served.refused).toBe(2_000 - served.admitted);
});

test("a process that has served nothing yet admits a crowd by and by, as it learns what streams cost", async () => {
  const idle = new Process(700);
  idle.arrive(2_000);
  await vi.advanceTimersByTimeAsync(0);
  expect(idle.admitted).toBe(16);
  await idle.live(2_000);
  expect(idle.admitted).toBeGreaterThan(280);
  await idle.live(1_000);
  expect(idle.admitted).toBeLessThanOrEqual(700);
  expect(idle.admitted + idle.refused).toBe(2_000);
});

test("a crowd does not stall the streams that are open, neither when it starts nor when it is refused", async () => {
  const half = new Process(700);
  half.streams = 350;
  await half.live(500);
  half.arrive(2_000);
  await half.live(1_500);
  expect(half.admitted).toBeGreaterThan(200);
  await half.live(1_500);
  expect(half.refused).toBe(2_000 - half.admitted);
  expect(half.longestMs).toBeLessThan(100);
});

test("starts that wait for something else do not hold up others for long", async () => {
  const arrivals = createArrivals(createAdmission({ pulse: new ManualPulse() }));
  let admitted = 0;
  for (let asked = 0; asked < 64; asked++)
    void arrivals.enter(() => 0).then(({ allowed }) => (admitted += Number(allowed)));
  await vi.advanceTimersByTimeAsync(0);
  expect(admitted).toBe(16);
  await vi.advanceTimersByTimeAsync(500);
  expect(admitted).toBe(64);
});

test("those who wait are refused when the server closes", async () => {
  const full = new Process(700);
  full.streams = 128;
  full.arrive(50);
  await vi.advanceTimersByTimeAsync(100);
  expect(full.refused).toBe(0);
  full.stop();
  await vi.advanceTimersByTimeAsync(0);
  expect(full.refused).toBe(50);
});
