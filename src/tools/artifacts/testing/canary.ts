import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";

/** A place outside that no artifact may reach. It records every connection and datagram. */
export interface Canary {
  /** `http://127.0.0.1:PORT` */
  url: string;
  port: number;
  udpPort: number;
  /** First lines of the received data. */
  heard: string[];
  close(): Promise<void>;
}

/** Listens on a TCP port and a UDP port. */
export async function startCanary(): Promise<Canary> {
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const index = heard.push("a connection") - 1;
    socket.once("data", (data) => {
      heard[index] = data.toString("latin1").split("\r\n", 1)[0] ?? "";
      socket.end(
        "HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-type: text/javascript\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
      );
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const datagrams = createSocket("udp4");
  datagrams.on("message", () => heard.push("a datagram"));
  datagrams.bind(0, "127.0.0.1");
  await once(datagrams, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    udpPort: datagrams.address().port,
    heard,
    async close() {
      datagrams.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
