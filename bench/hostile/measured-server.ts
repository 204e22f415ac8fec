import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { type ServerProcess, startServer, temporaryFolder } from "../../test/support/server.ts";

/** A server process whose event loop is watched. */
export interface MeasuredServer {
  url: string;
  /** Returns the CPU milliseconds of the longest turn of the event loop during the work. */
  longestTurn(work: () => Promise<unknown>): Promise<number>;
  stop(): Promise<void>;
}

export async function startMeasured(env: Record<string, string>): Promise<MeasuredServer> {
  const folder = temporaryFolder();
  const socketPath = join(folder.path, "bench.sock");
  const monitor = new URL("./monitor.ts", import.meta.url).href;
  const server: ServerProcess = await startServer(join(folder.path, "data"), {
    TACKLE_BENCH_SOCKET: socketPath,
    NODE_OPTIONS: `--import=${monitor}`,
    ...env,
  });
  const socket = connect(socketPath);
  socket.setEncoding("utf8");
  return {
    url: server.url,
    async longestTurn(work) {
      await command(socket, "start");
      await work();
      // What the answer leaves to do belongs to the request.
      await new Promise((resolve) => setTimeout(resolve, 30));
      return Number(await command(socket, "stop"));
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
