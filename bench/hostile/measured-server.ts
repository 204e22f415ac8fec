import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { type ServerProcess, startServer, temporaryFolder } from "../../test/support/server.ts";

/** The longest turn of the event loop, in milliseconds of CPU and on the clock. */
export interface LongestTurn {
  cpu: number;
  wall: number;
}

/** A server process whose event loop is watched. */
export interface MeasuredServer {
  url: string;
  process: ServerProcess;
  longestTurn(work: () => Promise<unknown>): Promise<LongestTurn>;
  stop(): Promise<void>;
}

const AFTERMATH_MS = 30;

export async function startMeasured(env: Record<string, string>): Promise<MeasuredServer> {
  const folder = temporaryFolder();
  const socketPath = join(folder.path, "bench.sock");
  const monitor = new URL("./monitor.ts", import.meta.url).href;
  const server: ServerProcess = await startServer(join(folder.path, "data"), {
    TACKLE_BENCH_SOCKET: socketPath,
    NODE_OPTIONS: `--import=${monitor}`,
    TACKLE_REHEARSE: "1",
    ...env,
  });
  const socket = connect(socketPath);
  socket.setEncoding("utf8");
  return {
    url: server.url,
    process: server,
    async longestTurn(work) {
      await command(socket, "start");
      await work();
      // What the answer leaves to do belongs to the request.
      await new Promise((resolve) => setTimeout(resolve, AFTERMATH_MS));
      const [cpu = 0, wall = 0] = (await command(socket, "stop")).split(" ").map(Number);
      return { cpu, wall };
    },
    async stop() {
      socket.destroy();
      await server.stop();
      folder.remove();
    },
  };
}

function command(socket: Socket, name: string): Promise<string> {
  const answered = Promise.withResolvers<string>();
  socket.once("data", (text) => answered.resolve(String(text).trim()));
  socket.write(`${name}\n`);
  return answered.promise;
}
