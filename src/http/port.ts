import type { Server } from "node:http";
import { type AddressInfo, createServer, type ListenOptions, Server as NetServer } from "node:net";

/** The sockets that take connections for an HTTP server. */
export interface Port {
  address: AddressInfo;
  /** Takes no more connections. Resolves when none is left. */
  close(): Promise<void>;
}

export interface PortOptions {
  host: string;
  port: number;
  /** True if other processes of this server take connections too. Then their primary process does it for all of them. */
  isShared: boolean;
}

/**
 * How many sockets listen. Node takes one connection from each of them in a turn of its event loop, which takes 20 ms in a busy
 * process: with one socket, the last of 2,000 who arrive together was seen after 18 seconds.
 */
const SOCKETS = 32;
/** The connections that may wait for a socket, which is the usual limit of Linux. */
const BACKLOG = 4_096;

/** Takes connections for a server. Throws if another program has the port. */
export async function openPort(server: Server, { host, port, isShared }: PortOptions): Promise<Port> {
  const options: ListenOptions = { host, port, backlog: BACKLOG };
  // Elsewhere, connections are not spread over the sockets of a port.
  if (isShared || process.platform !== "linux") {
    await listen(server, options);
    return portOf(server, []);
  }
  // Such sockets also share the port with other programs of the same user, so find out first whether there is one.
  if (port !== 0) await closed(await listen(createServer(), options));
  const canShare = await listen(server, { ...options, reusePort: true }).then(
    () => true,
    () => false,
  );
  if (!canShare) {
    // An old kernel, or an imitation of one. If something else was wrong, it is wrong again.
    await listen(server, options);
    return portOf(server, []);
  }
  const { port: bound } = server.address() as AddressInfo;
  const others = Array.from({ length: SOCKETS - 1 }, () =>
    listen(
      createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket)),
      { ...options, port: bound, reusePort: true },
    ),
  );
  return portOf(server, await Promise.all(others));
}

function portOf(server: Server, others: NetServer[]): Port {
  let left: Promise<unknown> | undefined;
  return {
    address: server.address() as AddressInfo,
    async close() {
      left ??= Promise.all([server, ...others].map(closed));
      await left;
    },
  };
}

function listen(server: NetServer, options: ListenOptions): Promise<NetServer> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, () => {
      server.off("error", reject);
      resolve(server);
    });
  });
}

/** The method of an HTTP server would also cut idle connections, on which a request may just be under way. */
function closed(server: NetServer): Promise<void> {
  return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
}
