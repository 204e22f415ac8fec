import { once } from "node:events";
import { type ServerProcess, startServer } from "../test/support/server.ts";
import type { FaultProxy } from "./proxy.ts";

const STARTS = 4;

/** A server process that is started, killed, frozen and started again in the same data directory. */
export class Instance {
  readonly dataDir: string;
  /** The line to its database, where that is over the network. */
  readonly line: FaultProxy | undefined;
  readonly #env: Record<string, string>;
  #server: ServerProcess | undefined;
  #frozen = false;
  #deathWanted = false;

  constructor(dataDir: string, env: Record<string, string>, line: FaultProxy | undefined) {
    this.dataDir = dataDir;
    this.#env = env;
    this.line = line;
  }

  /** Starts it, more than once where the machine is too busy for its database to answer in time. */
  async start(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        this.#server = await startServer(this.dataDir, this.#env);
        this.#deathWanted = false;
        return;
      } catch (thrown) {
        if (tries === STARTS) throw thrown;
      }
    }
  }

  /** Whatever a scenario left behind: it runs again, on a healthy line. */
  async restore(): Promise<void> {
    this.thaw();
    this.line?.mend();
    if (this.#exited) await this.start();
  }

  /** Undefined while it is not there or does not run. */
  get url(): string | undefined {
    return this.#server && !this.#frozen && !this.#exited ? this.#server.url : undefined;
  }

  /** Everything that it has printed. */
  get output(): string {
    return this.#server?.output() ?? "";
  }

  async kill(): Promise<void> {
    this.#deathWanted = true;
    this.thaw();
    await this.#server?.kill();
  }

  /** Resolves when it has died by itself, which is what is wanted of it now. */
  async died(): Promise<void> {
    this.#deathWanted = true;
    const child = this.#server?.child;
    if (child && !this.#exited) await once(child, "exit");
  }

  /** SIGSTOP: it does nothing more and does not know it. */
  freeze(): void {
    this.#frozen = true;
    this.#server?.child.kill("SIGSTOP");
  }

  thaw(): void {
    if (!this.#frozen) return;
    this.#frozen = false;
    this.#server?.child.kill("SIGCONT");
  }

  /** How it died where nobody wanted it to. */
  get unwantedDeath(): string | undefined {
    if (!this.#exited || this.#deathWanted) return undefined;
    const { exitCode, signalCode } = this.#server?.child ?? {};
    return `${this.dataDir} ended with ${exitCode ?? signalCode}: ${this.output.slice(-1_000)}`;
  }

  get #exited(): boolean {
    const child = this.#server?.child;
    return !child || child.exitCode !== null || child.signalCode !== null;
  }
}
