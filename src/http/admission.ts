import { monitorEventLoopDelay, performance as nodePerformance } from "node:perf_hooks";

/** The load of the process. */
export interface LoopPulse {
  /** How late timers fire, in milliseconds, sustained over two seconds. A single pause does not count. */
  lagMs(): number;
  /** The utilization of the event loop, 0 to 1, at the last two samples. */
  busy(): readonly [earlier: number, latest: number];
  /** The number of samples so far. */
  looks(): number;
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
  let before = nodePerformance.eventLoopUtilization();
  let busy: [number, number] = [0, 0];
  let looks = 0;
  let idleLooks = 0;
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    busy = [busy[1], nodePerformance.eventLoopUtilization(before).utilization];
    before = nodePerformance.eventLoopUtilization();
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
      before = nodePerformance.eventLoopUtilization();
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
const FEW_STREAMS = 32;
/** This many can start at once in a process that does not know what its streams cost. */
const CROWD = 128;
/** Above this load no new stream is taken. A busy process batches its reads, so all streams slow down a little long before any stalls. */
const FULL = 0.98;
const LATE_MS = 50;
/** The number of samples after which load from new streams is no longer temporary: longer than a crowd takes to start or leave. */
const PATIENCE = 16;

/** If less than this share of the streams is still open, many have just ended, which is short work too. */
const STILL_OPEN = 0.75;

/** Clients that are refused together are told to come back at different times within this many seconds. */
const SPREAD_SECONDS = 8;
/** Followers of existing runs may exceed the limit for new work by this factor. */
const FOLLOWERS_SHARE = 1.25;

/** Returns whether a run that exists may be followed by one more. It is refused only long after new work is. */
export function admitFollower(streamsInFlight: number, maxStreams = MAX_STREAMS): Admission {
  const allowed = streamsInFlight < maxStreams * FOLLOWERS_SHARE;
  return { allowed, retryAfter: allowed ? 0 : spread(1, Math.random) };
}

/** Refuses a stream that the process has no room for. */
function refusal(random = Math.random): Admission {
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
  /** True if the process was full with this capacity. */
  let full = false;
  /** The newest sample of the load that was looked at. */
  let sample = 0;
  /** The sample during which the last stream was taken. */
  let takenAt = 0;
  /** The last sample with room. */
  let roomAt = 0;
  /** How many streams were open at the last request. */
  let before = 0;

  function learn(streams: number): void {
    const passed = pulse.looks() - sample;
    if (passed === 0) return;
    sample = pulse.looks();
    const manyEnded = streams < before * STILL_OPEN;
    // Samples between two requests were not looked at, and the load of streams that have ended does not count: assume room.
    if (passed > 2 || manyEnded) roomAt = sample;
    const [earlier, latest] = pulse.busy();
    const hasRoom = latest <= FULL;
    if (hasRoom) roomAt = sample;
    else if (earlier <= FULL) roomAt = sample - 1;
    // Starting streams is short work. It counts only if none started meanwhile, or if the load stays.
    if (hasRoom && takenAt < sample) {
      full = false;
      // Doubles at most, because streams whose models are silent cost nothing yet.
      const fits = Math.min((streams * FULL) / Math.max(latest, 0.01), 2 * streams + FEW_STREAMS);
      capacity = Math.max(capacity, CROWD, fits);
    } else if (!hasRoom) {
      const isLoadOfStreams = earlier > FULL && takenAt < sample - 1 && !manyEnded;
      if (!isLoadOfStreams && sample - roomAt < PATIENCE) return;
      full = true;
      capacity = streams;
    }
  }

  return (streams) => {
    learn(streams);
    before = streams;
    if (streams >= maxStreams) return { allowed: false, retryAfter: spread(5, random) };
    const isLate = pulse.lagMs() > LATE_MS;
    if (streams >= FEW_STREAMS && (isLate || streams >= capacity))
      return { ...refusal(random), ...(!isLate && !full && { mayChange: true }) };
    takenAt = sample + 1;
    return { allowed: true, retryAfter: 0 };
  };
}

/** Whether new work was let in. */
export interface Arrival extends Admission {
  /** Call this once the admitted request counts as a stream, or has failed. */
  started(): void;
}

/** Lets new work in, as fast as the process can start it beside the streams that are open. */
export interface Arrivals {
  /** Waits for a moment if need be. */
  enter(streamsInFlight: () => number): Promise<Arrival>;
  /** Refuses those that wait. */
  stop(): void;
}

interface Waiting {
  since: number;
  streamsInFlight(): number;
  resolve(arrival: Arrival): void;
}

/** Starting a run is as much work as a hundred tokens, so only a few are started at the same time. */
const AT_ONCE = 16;
/** A start that takes longer waits for something else, such as a database, and no longer holds up others. */
const LONG_START_MS = 100;
/** Long enough to start as many streams as a process can serve. */
const LONGEST_IN_LINE_MS = 1_500;
const TICK_MS = 20;
/** Refusing is work too. Two thousand at once would stall the streams that are open for half a second. */
const REFUSED_IN_A_TICK = 64;

/** Creates the line in which requests that arrive together wait, so that a crowd does not stall the streams that are open. */
export function createArrivals(admit: Admit, now: () => number = () => performance.now()): Arrivals {
  const line: Waiting[] = [];
  let starting = 0;
  /** When each start that may still be under way began, oldest first. */
  const begun = new Map<symbol, number>();
  let timer: NodeJS.Timeout | undefined;
  /** How many of those in line were refused since the last tick. */
  let refused = 0;

  function advance(): void {
    while (line[0] && refused < REFUSED_IN_A_TICK && takeFirst(line[0])) line.shift();
    if (line.length > 0) schedule();
  }

  /** Returns false if the first in line, and so everybody after it, has to keep waiting. */
  function takeFirst({ streamsInFlight, since, resolve }: Waiting): boolean {
    const isPatient = now() - since < LONGEST_IN_LINE_MS;
    const isFree = hasFreePlace();
    if (!isFree && isPatient) return false;
    const arrival = isFree ? decide(streamsInFlight) : turnAway(refusal());
    if (arrival.mayChange && isPatient) return false;
    if (!arrival.allowed) refused++;
    resolve(arrival);
    return true;
  }

  function hasFreePlace(): boolean {
    for (const [start, at] of begun) {
      if (now() - at < LONG_START_MS) break;
      begun.delete(start);
    }
    return begun.size < AT_ONCE;
  }

  function decide(streamsInFlight: () => number): Arrival {
    const admission = admit(streamsInFlight() + starting);
    if (!admission.allowed) return turnAway(admission);
    const start = Symbol();
    starting += 1;
    begun.set(start, now());
    return {
      ...admission,
      started() {
        starting -= 1;
        begun.delete(start);
        advance();
      },
    };
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      refused = 0;
      advance();
    }, TICK_MS).unref();
  }

  return {
    async enter(streamsInFlight) {
      if (line.length === 0 && hasFreePlace()) {
        const arrival = decide(streamsInFlight);
        if (!arrival.mayChange) return arrival;
      }
      schedule();
      return new Promise((resolve) => {
        line.push({ since: now(), streamsInFlight, resolve });
      });
    },
    stop() {
      clearTimeout(timer);
      for (const { resolve } of line.splice(0)) resolve(turnAway(refusal()));
    },
  };
}

function turnAway(admission: Admission): Arrival {
  return { ...admission, started() {} };
}
