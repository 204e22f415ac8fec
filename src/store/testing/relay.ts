import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A connection between two servers on this machine that can be interrupted. */
export interface Relay {
  port: number;
  /** Lets nothing through, in either direction. Connections stay open. */
  hold(): void;
  mend(): void;
  close(): void;
}

/** Starts a relay to a port of this machine. */
export async function startRelay(to: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let held = false;
  const server = createServer((near) => {
    const far = connect(to, "127.0.0.1");
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      if (held) from.pause();
      from.on("data", (chunk) => other.write(chunk));
      from.on("error", () => {}); // `close` follows.
      from.on("close", () => {
        sockets.delete(from);
        other.destroy();
      });
      if (held) from.pause();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return {
    port: address.port,
    hold() {
      held = true;
      for (const socket of sockets) socket.pause();
    },
    mend() {
      held = false;
      for (const socket of sockets) socket.resume();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
