import { type Admission, type Admit, refusal } from "./admission.ts";

/** What became of new work. */
export interface Arrival extends Admission {
  /** Whoever is admitted calls this once it counts as a stream, or has failed. */
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
/** A start that takes longer waits for something, such as a database, and others need not wait with it. */
const LONG_START_MS = 100;
/** Long enough to start as many streams as a process can serve. */
const PATIENCE_MS = 1_500;
const TICK_MS = 20;
/** Refusing is work too. Two thousand at once would stall the streams that are open for half a second. */
const REFUSED_IN_A_TICK = 64;

/** Creates the line in which those who arrive together wait, so that a crowd does not stall the streams that are open. */
export function createArrivals(admit: Admit, now: () => number = () => performance.now()): Arrivals {
  const line: Waiting[] = [];
  let starting = 0;
  /** When each start began that may still be work, in this order. */
  const begun = new Map<symbol, number>();
  let timer: NodeJS.Timeout | undefined;
  /** How many of those in line were refused since the last tick. */
  let refused = 0;

  function advance(): void {
    while (line[0] && refused < REFUSED_IN_A_TICK && takeFirst(line[0])) line.shift();
    if (line.length > 0) schedule();
  }

  /** Returns false if the first in line, and so everybody behind it, waits on. */
  function takeFirst({ streamsInFlight, since, resolve }: Waiting): boolean {
    const isPatient = now() - since < PATIENCE_MS;
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
