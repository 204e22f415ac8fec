import { ENTER_KEYBOARD, type Key, type KeyInput, LEAVE_KEYBOARD, readKeys } from "./keys.ts";

/** A program that is to be stopped is stopped long before. */
const STOPPED_MS = 200;

/** `kill(2)` takes 0 for the process group of the caller, as the terminal does for Ctrl-Z. */
const OWN_PROCESS_GROUP = 0;

/** The keyboard while this program has it. */
export class Keyboard {
  readonly #input: KeyInput;
  readonly #output: NodeJS.WritableStream;
  readonly #onKey: (key: Key) => void;
  #stop: (() => void) | undefined;

  constructor(input: KeyInput, output: NodeJS.WritableStream, onKey: (key: Key) => void) {
    this.#input = input;
    this.#output = output;
    this.#onKey = onKey;
  }

  /** Begins to read keys. */
  take(): void {
    if (this.#stop) return;
    this.#tell(ENTER_KEYBOARD);
    this.#stop = readKeys(this.#input, this.#onKey);
  }

  /** Leaves the terminal as it was. */
  giveBack(): void {
    if (!this.#stop) return;
    this.#stop();
    this.#stop = undefined;
    this.#tell(LEAVE_KEYBOARD);
  }

  /**
   * Stops this program until the shell continues it, with the programs between the two, such as npm: the shell waits for
   * those. Without a shell, the system does not stop it, and it continues.
   */
  suspend(onContinue: () => void): void {
    this.giveBack();
    const goOn = () => {
      clearTimeout(unstopped);
      process.off("SIGCONT", goOn);
      this.take();
      onContinue();
    };
    process.once("SIGCONT", goOn);
    const unstopped = setTimeout(goOn, STOPPED_MS);
    process.kill(OWN_PROCESS_GROUP, "SIGTSTP");
  }

  /** The Linux console takes these requests for colors. */
  #tell(requests: string): void {
    if (process.env.TERM !== "linux") this.#output.write(requests);
  }
}

/** Without a keyboard, each line of the input is a message. Reads them until `take` returns false. */
export async function readLines(input: KeyInput, take: (line: string) => Promise<boolean>): Promise<void> {
  const { createInterface } = await import("node:readline");
  for await (const line of createInterface({ input })) if (!(await take(line))) return;
}
