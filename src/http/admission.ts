import { monitorEventLoopDelay } from "node:perf_hooks";

type IntervalHistogram = ReturnType<typeof monitorEventLoopDelay>;

export interface Admission {
  allowed: boolean;
  /** Seconds after which it may help to try again. */
  retryAfter: number;
}

/** Decides whether one more stream is taken on, given how many are in flight. */
export type Admit = (streamsInFlight: number) => Admission;

export interface AdmissionOptions {
  maxStreams?: number;
  maxLagMs?: number;
  /** The event loop's delay in milliseconds over the last second or so. */
  lagMs: () => number;
}

/** Refuses new streams past what this process can serve: better a clear no than a stream that starves. */
export function createAdmission({ maxStreams = 2_000, maxLagMs = 500, lagMs }: AdmissionOptions): Admit {
  return (streamsInFlight) => {
    if (streamsInFlight >= maxStreams) return { allowed: false, retryAfter: 5 };
    // An idle process has nothing to shed: its lag is a passing pause, a garbage collection or a slow disk.
    if (streamsInFlight > 0 && lagMs() > maxLagMs) return { allowed: false, retryAfter: 2 };
    return { allowed: true, retryAfter: 0 };
  };
}

export interface LoopLag {
  milliseconds(): number;
  stop(): void;
}

const RESOLUTION_MS = 20;

/** Measures how late timers fire: the 90th percentile of the last one to two seconds. */
export function measureLoopLag(): LoopLag {
  let older: IntervalHistogram | undefined;
  let newer = startHistogram();
  const timer = setInterval(() => {
    older?.disable();
    older = newer;
    newer = startHistogram();
  }, 1_000);
  timer.unref();
  return {
    milliseconds: () => Math.max(delayOf(older), delayOf(newer)),
    stop() {
      clearInterval(timer);
      older?.disable();
      newer.disable();
    },
  };
}

function startHistogram(): IntervalHistogram {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return histogram;
}

function delayOf(histogram: IntervalHistogram | undefined): number {
  if (!histogram || histogram.count === 0) return 0;
  return Math.max(0, histogram.percentile(90) / 1e6 - RESOLUTION_MS);
}
