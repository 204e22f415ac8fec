import { monitorEventLoopDelay, performance } from "node:perf_hooks";

export interface Admission {
  allowed: boolean;
  /** Seconds until a retry can help. */
  retryAfter: number;
}

/** Decides whether to take another stream. */
export type Admit = (streamsInFlight: number) => Admission;

/** The load of the process at the last sample. */
export interface LoopPulse {
  /** How late timers fire, in milliseconds, sustained over two seconds. A single pause does not count. */
  lagMs(): number;
  /** The utilization of the event loop, 0 to 1, at the last two samples. */
  busy(): readonly [earlier: number, latest: number];
  /** The number of samples so far. */
  looks(): number;
}

export interface AdmissionOptions {
  maxStreams?: number;
  pulse: LoopPulse;
  random?: () => number;
}

const MAX_STREAMS = 2_000;
/** With so few streams, load is temporary: a long text, a garbage collection, a slow disk. */
const FEW_STREAMS = 32;
/** This many can start at once, unless the process is already full. */
const CROWD = 128;
/** Above this load no new stream is taken. A busy process batches its reads, so all streams slow down a little long before any stalls. */
const FULL = 0.98;
const LATE_MS = 50;
/** The number of samples after which load from new streams is no longer temporary. */
const PATIENCE = 8;

/** Those who are refused together come back within so many seconds, not together. */
const SPREAD_SECONDS = 8;
/** How many more streams than new work may open can be followers of runs that exist. */
const FOLLOWERS_SHARE = 1.25;

/** Returns whether a run that exists may be followed by one more. It is refused only long after new work is. */
export function admitFollower(streamsInFlight: number, maxStreams = MAX_STREAMS): Admission {
  const allowed = streamsInFlight < maxStreams * FOLLOWERS_SHARE;
  return { allowed, retryAfter: allowed ? 0 : spread(1, Math.random) };
}

function spread(seconds: number, random: () => number): number {
  return seconds + Math.floor(random() * SPREAD_SECONDS);
}

/**
 * Refuses new streams that this process cannot serve, instead of starving all of them. The capacity is measured from the load
 * of the event loop, so that it needs no setting.
 */
export function createAdmission({
  maxStreams = MAX_STREAMS,
  pulse,
  random = Math.random,
}: AdmissionOptions): Admit {
  let room = CROWD;
  let look = 0;
  let takenSince = 0;
  let fullSince = 0;

  function learn(streams: number): void {
    if (look === pulse.looks()) return;
    const [earlier, latest] = pulse.busy();
    if (latest <= FULL) fullSince = pulse.looks();
    // Starting streams is short work. It counts only if no stream started, or if the load stays.
    const calm = takenSince === 0 && earlier > FULL;
    // Grow by a third at most, because the cost of streams shows only at the next sample.
    if (latest <= FULL)
      room = Math.max(CROWD, Math.min((streams * FULL) / latest, streams * 1.3 + FEW_STREAMS));
    else if (calm || pulse.looks() - fullSince >= PATIENCE) room = streams;
    look = pulse.looks();
    takenSince = 0;
  }

  return (streamsInFlight) => {
    learn(streamsInFlight);
    if (streamsInFlight >= maxStreams) return { allowed: false, retryAfter: spread(5, random) };
    const full = streamsInFlight >= room || pulse.lagMs() > LATE_MS;
    if (full && streamsInFlight >= FEW_STREAMS) return { allowed: false, retryAfter: spread(2, random) };
    takenSince += 1;
    return { allowed: true, retryAfter: 0 };
  };
}

const RESOLUTION_MS = 20;
const LOOK_MS = 250;
const LOOKS_A_SECOND = 1_000 / LOOK_MS;
/** Below this utilization at this many samples, nothing happens that is worth sampling. */
const IDLE = 0.05;
const IDLE_LOOKS = 2 * LOOKS_A_SECOND;

/**
 * Samples the event loop of this process. Sampling wakes the process 54 times a second, so it stops while nothing happens and
 * starts again when somebody asks for a sample, which every new stream does.
 */
export function watchLoop(): LoopPulse & { stop(): void } {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let [earlierLag, latestLag] = [0, 0];
  let before = performance.eventLoopUtilization();
  let busy: [number, number] = [0, 0];
  let looks = 0;
  let idleLooks = 0;
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    busy = [busy[1], performance.eventLoopUtilization(before).utilization];
    before = performance.eventLoopUtilization();
    idleLooks = busy[1] < IDLE ? idleLooks + 1 : 0;
    if (++looks % LOOKS_A_SECOND !== 0) return;
    earlierLag = latestLag;
    latestLag = delays.count === 0 ? 0 : Math.max(0, delays.percentile(90) / 1e6 - RESOLUTION_MS);
    delays.reset();
    if (idleLooks >= IDLE_LOOKS) stop();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    delays.disable();
  }

  function sampling<Value>(value: () => Value): Value {
    if (timer === undefined) {
      delays.enable();
      before = performance.eventLoopUtilization();
      idleLooks = 0;
      timer = setInterval(look, LOOK_MS).unref();
    }
    return value();
  }

  return {
    lagMs: () => sampling(() => Math.min(earlierLag, latestLag)),
    busy: () => sampling(() => busy),
    looks: () => sampling(() => looks),
    stop,
  };
}
