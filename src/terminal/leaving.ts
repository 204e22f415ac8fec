const ASKED_MS = 2_000;

/** The end of the prompt. Ctrl-C has to be pressed twice in a short time. */
export class Leaving {
  readonly #draw: () => void;
  readonly #left = Promise.withResolvers<void>();
  #asked: NodeJS.Timeout | undefined;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Resolves once the person leaves. */
  get left(): Promise<void> {
    return this.#left.promise;
  }

  /** True for a while after the first Ctrl-C. */
  get asked(): boolean {
    return this.#asked !== undefined;
  }

  leave(): void {
    this.#left.resolve();
  }

  /** Leaves if it was asked a moment ago. */
  ask(): void {
    if (this.#asked) this.leave();
    this.#asked = setTimeout(() => this.stay(), ASKED_MS);
    this.#asked.unref();
  }

  stay(): void {
    if (!this.#asked) return;
    clearTimeout(this.#asked);
    this.#asked = undefined;
    this.#draw();
  }
}
