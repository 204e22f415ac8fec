/** npm, npx and other programs that start this one pass on a signal that the terminal has already sent to both. */
const SAME_PRESS_MS = 500;

/** Calls the listener once for each press of Ctrl-C, or each time that one of the signals is sent. Returns how to stop listening. */
export function onInterrupt(
  listener: (signal: NodeJS.Signals) => void,
  signals: readonly NodeJS.Signals[] = ["SIGINT"],
): () => void {
  let last = Number.NEGATIVE_INFINITY;
  const onSignal = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (now - last < SAME_PRESS_MS) return;
    last = now;
    listener(signal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}
