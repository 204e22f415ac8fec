import { once } from "node:events";
import { type OwnProcess, startOwnServer } from "../test/support/server.ts";
import type { FaultProxy } from "./proxy.ts";

const STARTS = 4;

/** A server process that is started, killed, frozen and started again in the same data directory. */
export class Instance {
  readonly dataDir: string;
  /** The proxy to its database, if it uses PostgreSQL. */
  readonly line: FaultProxy | undefined;
  readonly #env: Record<string, string>;
  /** The program to run, if not this release's. */
  #program: string | undefined;
  #server: OwnProcess | undefined;
  #frozen = false;
  #exitExpected = false;

  constructor(dataDir: string, env: Record<string, string>, line: FaultProxy | undefined, program?: string) {
    this.dataDir = dataDir;
    this.#env = env;
    this.line = line;
    this.#program = program;
  }

  /** The next start is of this release. */
  upgrade(): void {
    this.#program = undefined;
  }

  /** Starts the server, and retries if the machine is too busy for the database to respond in time. */
  async start(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        this.#server = await startOwnServer(this.dataDir, this.#env, this.#program);
        this.#exitExpected = false;
        return;
      } catch (thrown) {
        if (tries === STARTS) throw thrown;
      }
    }
  }

  /** Undoes what a scenario did: the server runs again, with a working connection to its database. */
  async restore(): Promise<void> {
    this.thaw();
    this.line?.mend();
    if (this.#exited) await this.start();
  }

  /** Undefined while the server is stopped or frozen. */
  get url(): string | undefined {
    return this.#server && !this.#frozen && !this.#exited ? this.#server.url : undefined;
  }

  /** Everything the server has printed. */
  get output(): string {
    return this.#server?.output() ?? "";
  }

  async kill(): Promise<void> {
    this.#exitExpected = true;
    this.thaw();
    await this.#server?.kill();
  }

  /** Stops it as a restart would: its runs are handed over. */
  async stop(): Promise<void> {
    this.#exitExpected = true;
    await this.#server?.stop();
  }

  /** Resolves when the server exits by itself, and marks that exit as expected. */
  async died(): Promise<void> {
    this.#exitExpected = true;
    const child = this.#server?.child;
    if (child && !this.#exited) await once(child, "exit");
  }

  /** Pauses the process with SIGSTOP. */
  freeze(): void {
    this.#frozen = true;
    this.#server?.child.kill("SIGSTOP");
  }

  thaw(): void {
    if (!this.#frozen) return;
    this.#frozen = false;
    this.#server?.child.kill("SIGCONT");
  }

  /** Describes an unexpected exit, if there was one. */
  get unexpectedExit(): string | undefined {
    if (!this.#exited || this.#exitExpected) return undefined;
    const { exitCode, signalCode } = this.#server?.child ?? {};
    return `${this.dataDir} ended with ${exitCode ?? signalCode}: ${this.output.slice(-1_000)}`;
  }

  get #exited(): boolean {
    const child = this.#server?.child;
    return !child || child.exitCode !== null || child.signalCode !== null;
  }
}
