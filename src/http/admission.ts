import type { LoopPulse } from "./loop-pulse.ts";

export interface Admission {
  allowed: boolean;
  /** Seconds until a retry can help. */
  retryAfter: number;
  /** True if it is worth waiting for, because the process does not yet know how many streams it can serve. */
  mayChange?: true;
}

/** Decides whether to take another stream beside those that are open or starting. */
export type Admit = (streams: number) => Admission;

export interface AdmissionOptions {
  maxStreams?: number;
  pulse: LoopPulse;
  random?: () => number;
}

const MAX_STREAMS = 2_000;
/** With so few streams, load is temporary: a long text, a garbage collection, a slow disk. */
export const FEW_STREAMS = 32;
/** This many can start at once in a process that does not know what its streams cost. */
const CROWD = 128;
/** Above this load no new stream is taken. A busy process batches its reads, so all streams slow down a little long before any stalls. */
const FULL = 0.98;
const LATE_MS = 50;
/** The number of samples after which load from new streams is no longer temporary: longer than a crowd takes to start or leave. */
const PATIENCE = 16;

/** If fewer than this share of the streams are left, many have just ended, which is short work too. */
const MANY_LEFT = 0.75;

/** Those who are refused together come back within so many seconds, not together. */
const SPREAD_SECONDS = 8;
/** How many more streams than new work may open can be followers of runs that exist. */
const FOLLOWERS_SHARE = 1.25;

/** Returns whether a run that exists may be followed by one more. It is refused only long after new work is. */
export function admitFollower(streamsInFlight: number, maxStreams = MAX_STREAMS): Admission {
  const allowed = streamsInFlight < maxStreams * FOLLOWERS_SHARE;
  return { allowed, retryAfter: allowed ? 0 : spread(1, Math.random) };
}

/** Refuses a stream that the process has no room for. */
export function refusal(random = Math.random): Admission {
  return { allowed: false, retryAfter: spread(2, random) };
}

function spread(seconds: number, random: () => number): number {
  return seconds + Math.floor(random() * SPREAD_SECONDS);
}

/**
 * Refuses new streams that this process cannot serve, instead of starving all of them. The capacity is learned from the load of
 * the event loop and remembered, so that it needs no setting and a crowd is admitted up to what was served before.
 */
export function createAdmission({
  maxStreams = MAX_STREAMS,
  pulse,
  random = Math.random,
}: AdmissionOptions): Admit {
  let capacity = CROWD;
  /** True while the capacity is what the process was full with. */
  let full = false;
  let look = 0;
  /** The sample during which the last stream was taken. */
  let taken = 0;
  /** The last sample with room. */
  let roomAt = 0;
  /** How many streams there were when somebody last asked. */
  let before = 0;

  function learn(streams: number): void {
    if (look === pulse.looks()) return;
    look = pulse.looks();
    const [earlier, latest] = pulse.busy();
    const hasRoom = latest <= FULL;
    if (hasRoom) roomAt = look;
    else if (earlier <= FULL) roomAt = look - 1;
    // Starting streams is short work. It counts only if none started meanwhile, or if the load stays.
    if (hasRoom && taken < look) {
      full = false;
      // Doubles at most, because streams whose models are silent cost nothing yet.
      const fits = Math.min((streams * FULL) / Math.max(latest, 0.01), 2 * streams + FEW_STREAMS);
      capacity = Math.max(capacity, CROWD, fits);
    } else if (!hasRoom && (isLoadOfStreams(earlier, streams) || look - roomAt >= PATIENCE)) {
      full = true;
      capacity = streams;
    }
  }

  function isLoadOfStreams(earlier: number, streams: number): boolean {
    return earlier > FULL && taken < look - 1 && streams >= before * MANY_LEFT;
  }

  return (streams) => {
    learn(streams);
    before = streams;
    if (streams >= maxStreams) return { allowed: false, retryAfter: spread(5, random) };
    const isLate = pulse.lagMs() > LATE_MS;
    if (streams >= FEW_STREAMS && (isLate || streams >= capacity))
      return { ...refusal(random), ...(!isLate && !full && { mayChange: true }) };
    taken = look + 1;
    return { allowed: true, retryAfter: 0 };
  };
}
