import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentContext, TerminalHandle } from "@agentclientprotocol/sdk";
import { clean } from "../clean.ts";

/** How much output waits for a terminal that has not started yet. */
const MOST_WAITING = 1_000_000;
/** Copies what arrives at a socket to standard output, then exits with the command's own code. */
const VIEWER = `
  const path = process.argv[1];
  const socket = require("node:net").connect(path);
  socket.pipe(process.stdout);
  socket.on("error", () => process.exit(1));
  socket.on("close", () => {
    try { process.exitCode = Number(require("node:fs").readFileSync(path + ".code", "utf8")); } catch { process.exitCode = 1; }
  });`;

/**
 * A terminal of the editor that shows the output of a command. The command itself runs in our sandbox, not in the editor:
 * what runs in the terminal only copies the output.
 */
export class OutputTerminal {
  readonly id: string;
  readonly #handle: TerminalHandle;
  readonly #server: Server;
  readonly #folder: string;
  #socket: Socket | undefined;
  #waiting = "";

  private constructor(handle: TerminalHandle, server: Server, folder: string) {
    this.id = handle.id;
    this.#handle = handle;
    this.#server = server;
    this.#folder = folder;
  }

  /** Opens a terminal in the editor. Rejects if the editor cannot. */
  static async open(client: AgentContext, sessionId: string, cwd: string): Promise<OutputTerminal> {
    const folder = await mkdtemp(join(tmpdir(), "tackle-output-"));
    const path = join(folder, "s");
    const server = createServer();
    try {
      await new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, resolve));
      const command = { command: process.execPath, args: ["-e", VIEWER, path], cwd };
      const handle = await client.createTerminal({ sessionId, ...command, outputByteLimit: MOST_WAITING });
      const terminal = new OutputTerminal(handle, server, folder);
      server.on("connection", (socket) => terminal.#connect(socket));
      return terminal;
    } catch (thrown) {
      server.close();
      await rm(folder, { recursive: true, force: true });
      throw thrown;
    }
  }

  write(chunk: string): void {
    const text = clean(chunk);
    if (this.#socket) this.#socket.write(text);
    else this.#waiting = (this.#waiting + text).slice(-MOST_WAITING);
  }

  /** Ends the terminal's program with the command's exit code, and releases the terminal. */
  async end(exitCode: number): Promise<void> {
    await writeFile(join(this.#folder, "s.code"), String(exitCode));
    const exited = this.#handle.waitForExit().catch(() => undefined);
    if (this.#socket) this.#socket.end();
    else this.#server.once("connection", (socket: Socket) => socket.end());
    await Promise.race([exited, new Promise((late) => setTimeout(late, 3_000).unref())]);
    await this.#handle.release();
    this.#server.close();
    this.#socket?.destroy();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #connect(socket: Socket): void {
    // The person may close the terminal at any time. The command continues.
    socket.on("error", () => {});
    this.#socket = socket;
    socket.write(this.#waiting);
    this.#waiting = "";
  }
}
