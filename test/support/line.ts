import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy to a server that a test can interrupt and restore. */
export interface Line {
  url: string;
  /** Ends every connection at once and refuses new ones. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Starts a proxy to a server on this machine. */
export async function startLine(to: string): Promise<Line> {
  const { hostname, port } = new URL(to);
  const sockets = new Set<Socket>();
  let broken = false;
  const end = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const server = createServer((near) => {
    if (broken) return near.destroy();
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      broken = true;
      end();
    },
    mend() {
      broken = false;
    },
    async close() {
      end();
      server.close();
      await once(server, "close");
    },
  };
}
