import type { Ledger } from "../protocol/ledger.ts";

const EVERY_MS = 30_000;

/** Notes how many runs are active and how much is stored, now and again. Returns a function that stops it. */
export function startSampling(
  ledger: Pick<Ledger, "recordSample">,
  onProblem: (thrown: unknown) => void,
): () => Promise<void> {
  let noting: Promise<void> | undefined;
  const note = (): void => {
    noting ??= ledger
      .recordSample()
      .catch(onProblem)
      .finally(() => {
        noting = undefined;
      });
  };
  const timer = setInterval(note, EVERY_MS);
  timer.unref();
  note();
  return async () => {
    clearInterval(timer);
    await noting;
  };
}
