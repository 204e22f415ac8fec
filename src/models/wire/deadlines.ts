/** How long an upstream may take, in milliseconds. The time to connect is the transport's own. */
export interface Deadlines {
  /** Until the answer begins. */
  firstByteMs: number;
  /** Silence between two packets. */
  idleMs: number;
  /** For the whole answer. */
  totalMs: number;
}

/** Fills in what is not said. An answer may take four times as long to begin as a gap within it may last. */
export function completeDeadlines(given: Partial<Deadlines> = {}): Deadlines {
  const idleMs = given.idleMs ?? 30_000;
  return { idleMs, firstByteMs: given.firstByteMs ?? idleMs * 4, totalMs: given.totalMs ?? 900_000 };
}

export type MissedDeadline = "first_byte" | "idle" | "total";

/** Watches one answer; `alive` is called for every packet and costs one clock reading. */
export interface DeadlineWatch {
  alive(): void;
  /** Another request goes out: waits for a first byte again. */
  restart(): void;
  stop(): void;
}

/** Starts the clocks; `onMiss` is called once at most. */
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

  // One timer that looks back when it fires, because setting one anew for every packet costs more.
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
