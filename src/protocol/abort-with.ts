/**
 * Aborts a controller with the first of these signals, and returns a function that ends that. Unlike `AbortSignal.any` it keeps no
 * weak references, which cost several times as much: call the function if a signal outlives the controller.
 */
export function abortWith(controller: AbortController, ...signals: readonly AbortSignal[]): () => void {
  const abort = ({ target }: Pick<Event, "target">) =>
    controller.abort(target instanceof AbortSignal ? target.reason : undefined);
  const aborted = signals.find((signal) => signal.aborted);
  if (aborted) controller.abort(aborted.reason);
  else for (const signal of signals) signal.addEventListener("abort", abort, { once: true });
  return () => {
    for (const signal of signals) signal.removeEventListener("abort", abort);
  };
}
