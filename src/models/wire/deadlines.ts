/** How long an upstream may take, in milliseconds. The transport limits the time to connect. */
export interface Deadlines {
  /** Until the answer begins. */
  firstByteMs: number;
  /** Silence between two packets. */
  idleMs: number;
  /** For the whole answer. */
  totalMs: number;
}

/** Fills in the defaults. An answer may take four times the idle limit to begin. */
export function completeDeadlines(given: Partial<Deadlines> = {}): Deadlines {
  const idleMs = given.idleMs ?? 30_000;
  return { idleMs, firstByteMs: given.firstByteMs ?? idleMs * 4, totalMs: given.totalMs ?? 900_000 };
}

export type MissedDeadline = "first_byte" | "idle" | "total";

/** Watches one answer. `alive` is called for every packet, so it only reads the clock. */
export interface DeadlineWatch {
  alive(): void;
  /** Waits for a first byte again, after another request was sent. */
  restart(): void;
  stop(): void;
}

/** Starts the timers. `onMiss` is called at most once. */
export function watchDeadlines(
  deadlines: Deadlines,
  onMiss: (missed: MissedDeadline) => void,
): DeadlineWatch {
  let lastSign: number | undefined;
  let stopped = false;
  let silence = waitForFirstByte();
  const total = setTimeout(() => miss("total"), deadlines.totalMs);

  function waitForFirstByte(): ReturnType<typeof setTimeout> {
    return setTimeout(() => miss("first_byte"), deadlines.firstByteMs);
  }

  function stop(): void {
    stopped = true;
    clearTimeout(silence);
    clearTimeout(total);
  }

  function miss(missed: MissedDeadline): void {
    stop();
    onMiss(missed);
  }

  // One timer checks when the last packet came. Setting a new timer for every packet would cost more.
  function checkSilence(): void {
    const left = deadlines.idleMs - (performance.now() - (lastSign ?? 0));
    if (left <= 0) miss("idle");
    else silence = setTimeout(checkSilence, left);
  }

  return {
    alive() {
      if (stopped) return;
      if (lastSign === undefined) {
        clearTimeout(silence);
        silence = setTimeout(checkSilence, deadlines.idleMs);
      }
      lastSign = performance.now();
    },
    restart() {
      if (stopped) return;
      clearTimeout(silence);
      lastSign = undefined;
      silence = waitForFirstByte();
    },
    stop,
  };
}
