import { monitorEventLoopDelay } from "node:perf_hooks";

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
  /** The event loop's delay in milliseconds over the last seconds. */
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

/** Measures how late timers fire. A single pause does not count: only what lasts over two seconds does. */
export function measureLoopLag(): LoopLag {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let [earlier, latest] = [0, 0];
  const timer = setInterval(() => {
    earlier = latest;
    latest = delays.count === 0 ? 0 : Math.max(0, delays.percentile(90) / 1e6 - RESOLUTION_MS);
    delays.reset();
  }, 1_000);
  timer.unref();
  return {
    milliseconds: () => Math.min(earlier, latest),
    stop() {
      clearInterval(timer);
      delays.disable();
    },
  };
}
