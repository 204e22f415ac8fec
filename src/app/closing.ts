/** What has to be closed when the app is, in reverse order of its opening. */
export interface Closing {
  add(close: () => unknown): void;
  closeAll(): Promise<void>;
}

/** Starts an empty list. */
export function createClosing(): Closing {
  const closers: (() => unknown)[] = [];
  return {
    add: (close) => void closers.push(close),
    async closeAll() {
      for (const close of closers.splice(0).reverse()) await close();
    },
  };
}
