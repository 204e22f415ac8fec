/** A set whose values stay until everybody who added them has taken them back. */
export class CountedSet {
  readonly #counts = new Map<string, number>();

  /** Adds the values. Returns a function that takes them back, once. */
  add(values: Iterable<string>): () => void {
    const added = [...values];
    for (const value of added) this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    return () => {
      for (const value of added.splice(0)) {
        const left = (this.#counts.get(value) ?? 0) - 1;
        if (left > 0) this.#counts.set(value, left);
        else this.#counts.delete(value);
      }
    };
  }

  has(value: string): boolean {
    return this.#counts.has(value);
  }

  values(): Iterable<string> {
    return this.#counts.keys();
  }
}
