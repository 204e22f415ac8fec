/** The code of keys that an input method handles. */
const HANDLED = 229;

/**
 * Keeps keys that belong to an input method from the app: Enter takes a word there and must neither send a message nor open a
 * result. Safari reports that Enter after the word has ended, and only its code still tells.
 */
export function watchInputMethod(): void {
  const stop = (event: KeyboardEvent) => {
    if (event.isComposing || event.keyCode === HANDLED) event.stopPropagation();
  };
  addEventListener("keydown", stop, { capture: true });
}
