import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface WebServer {
  port: number;
  /** `127.0.0.1:port`, as in an allow list. */
  host: string;
  url(path: string): string;
  requests: IncomingMessage[];
  connections(): number;
}

/** A web server on the loopback address. It closes at the end of the test. */
export async function webServer(answer: RequestListener): Promise<WebServer> {
  const requests: IncomingMessage[] = [];
  let connections = 0;
  const server = createServer({ maxHeaderSize: 64_000 }, (request, response) => {
    requests.push(request);
    answer(request, response);
  });
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  return { port, host, url: (path) => `http://${host}${path}`, requests, connections: () => connections };
}

/** A raw server on the loopback address that counts connections. It closes at the end of the test. */
export async function canary(onSocket: (socket: Socket) => void = (socket) => socket.destroy()) {
  let connections = 0;
  const server = createSocketServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined);
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}
