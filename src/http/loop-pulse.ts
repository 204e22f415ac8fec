import { monitorEventLoopDelay, performance } from "node:perf_hooks";

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
