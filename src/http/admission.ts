import { monitorEventLoopDelay, performance } from "node:perf_hooks";

export interface Admission {
  allowed: boolean;
  /** Seconds after which it may help to try again. */
  retryAfter: number;
}

/** Decides whether one more stream is taken on, given how many are in flight. */
export type Admit = (streamsInFlight: number) => Admission;

/** How the process is doing, as of the last look at it. */
export interface LoopPulse {
  /** How late timers fire, in milliseconds. A single pause does not count: only what lasts over two seconds does. */
  lagMs(): number;
  /** Which part of its time the event loop was busy, 0 to 1, before the last look but one and before the last. */
  busy(): readonly [earlier: number, latest: number];
  /** How often was looked so far. */
  looks(): number;
}

export interface AdmissionOptions {
  maxStreams?: number;
  pulse: LoopPulse;
}

/** Up to this many, being busy is something that passes: a long text to read, a garbage collection, a slow disk. */
const FEW_STREAMS = 32;
/** A crowd that comes all at once is let in up to here, unless the process is full already. */
const CROWD = 128;
/**
 * Past this there is no room for a stream more; what is left is for those that are there. A busy process reads connections
 * less often, so that it is late a little for all of them well before it is late for anybody by much.
 */
const FULL = 0.98;
const LATE_MS = 50;
/** Looks after which even work that new streams make no longer counts as passing. */
const PATIENCE = 8;

/**
 * Refuses new streams past what this process can serve: better a clear no than a stream that starves, and those beside it.
 * How many that is comes from how busy the event loop is with those that are there, so no machine, model or load needs a
 * setting of its own.
 */
export function createAdmission({ maxStreams = 2_000, pulse }: AdmissionOptions): Admit {
  let room = CROWD;
  let look = 0;
  let takenSince = 0;
  let fullSince = 0;

  function learn(streams: number): void {
    if (look === pulse.looks()) return;
    const [earlier, latest] = pulse.busy();
    if (latest <= FULL) fullSince = pulse.looks();
    // Beginning a stream is work that is soon done: it counts once nobody began one, or when it does not end.
    const calm = takenSince === 0 && earlier > FULL;
    // By a third at a time, because what streams cost shows only a look later.
    if (latest <= FULL)
      room = Math.max(CROWD, Math.min((streams * FULL) / latest, streams * 1.3 + FEW_STREAMS));
    else if (calm || pulse.looks() - fullSince >= PATIENCE) room = streams;
    look = pulse.looks();
    takenSince = 0;
  }

  return (streamsInFlight) => {
    learn(streamsInFlight);
    if (streamsInFlight >= maxStreams) return { allowed: false, retryAfter: 5 };
    const full = streamsInFlight >= room || pulse.lagMs() > LATE_MS;
    if (full && streamsInFlight >= FEW_STREAMS) return { allowed: false, retryAfter: 2 };
    takenSince += 1;
    return { allowed: true, retryAfter: 0 };
  };
}

const RESOLUTION_MS = 20;
const LOOK_MS = 250;
const LOOKS_A_SECOND = 1_000 / LOOK_MS;

/** Watches the event loop of this process. */
export function watchLoop(): LoopPulse & { stop(): void } {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let [earlierLag, latestLag] = [0, 0];
  let before = performance.eventLoopUtilization();
  let busy: [number, number] = [0, 0];
  let looks = 0;
  const timer = setInterval(() => {
    busy = [busy[1], performance.eventLoopUtilization(before).utilization];
    before = performance.eventLoopUtilization();
    if (++looks % LOOKS_A_SECOND !== 0) return;
    earlierLag = latestLag;
    latestLag = delays.count === 0 ? 0 : Math.max(0, delays.percentile(90) / 1e6 - RESOLUTION_MS);
    delays.reset();
  }, LOOK_MS);
  timer.unref();
  return {
    lagMs: () => Math.min(earlierLag, latestLag),
    busy: () => busy,
    looks: () => looks,
    stop() {
      clearInterval(timer);
      delays.disable();
    },
  };
}
