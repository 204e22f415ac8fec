import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** The faults of a connection. An empty object is a working connection. */
export interface ConnectionFault {
  /** Refuses new connections. */
  refuse?: boolean;
  /** Delays each packet in both directions. */
  delayMs?: number;
  /** Limits the rate towards the client. */
  bytesPerSecond?: number;
  /** Resets a connection after this many bytes towards the client. */
  resetAfterBytes?: number;
  /** Holds packets in these directions while connections stay open, like a half-open connection. Not even a close gets through. */
  hold?: "asks" | "answers" | "both";
}

/** A TCP proxy to a server on this machine that injects faults. */
export interface FaultProxy {
  readonly port: number;
  /** Returns the URL with the proxy's address. */
  through(url: string): string;
  /** Sets the faults, for open connections too. */
  set(fault: ConnectionFault): void;
  /** Starts holding packets in this direction with the first packet towards the server that contains the text. */
  holdAt(text: string, direction: "asks" | "answers"): Promise<void>;
  /** Resets all connections that are open now. */
  reset(): void;
  /** Removes all faults and sends what was held back. */
  mend(): void;
  close(): Promise<void>;
}

type Direction = "asks" | "answers";

/** How many packets per second a throttled connection sends. */
const SLICES_A_SECOND = 20;

/** Starts a proxy to a server. */
export async function startFaultProxy(to: string): Promise<FaultProxy> {
  const { hostname, port: farPort } = new URL(to);
  const sockets = new Set<Socket>();
  let fault: ConnectionFault = {};
  let trigger: { text: string; direction: Direction; reached: () => void } | undefined;
  let changed = Promise.withResolvers<void>();
  let server: Server | undefined;

  async function listen(port: number): Promise<number> {
    server = createServer({ allowHalfOpen: true }, (near) => join(near));
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }

  function join(near: Socket): void {
    const far = connect({ port: Number(farPort), host: hostname, allowHalfOpen: true });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {}); // The pump of this side sees the error and ends the other side.
      socket.once("close", () => sockets.delete(socket));
    }
    void pump(near, far, "asks");
    void pump(far, near, "answers");
  }

  /** Never rejects. If one side breaks, it closes the other as soon as the faults let anything through. */
  async function pump(from: Socket, to: Socket, direction: Direction): Promise<void> {
    let passed = 0;
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) {
        if (direction === "asks") notice(chunk);
        await open(direction);
        if (fault.delayMs) await pause(fault.delayMs);
        await open(direction);
        if (direction === "answers") {
          const left = (fault.resetAfterBytes ?? Number.POSITIVE_INFINITY) - passed;
          passed += chunk.length;
          if (left < chunk.length) {
            to.write(chunk.subarray(0, Math.max(0, left)), () => to.resetAndDestroy());
            from.destroy();
            return;
          }
        }
        await forward(to, chunk, direction);
      }
      await open(direction);
      to.end();
    } catch {
      // One side is gone or was reset. Close the other side too, as a network would.
      await open(direction);
      to.destroy();
    }
  }

  function notice(chunk: Buffer): void {
    if (!trigger || !chunk.includes(trigger.text)) return;
    const { direction, reached } = trigger;
    trigger = undefined;
    change({ hold: direction });
    reached();
  }

  function isHeld(direction: Direction): boolean {
    return fault.hold === direction || fault.hold === "both";
  }

  async function open(direction: Direction): Promise<void> {
    while (isHeld(direction)) await changed.promise;
  }

  async function forward(to: Socket, chunk: Buffer, direction: Direction): Promise<void> {
    for (let start = 0; start < chunk.length; ) {
      const rate = direction === "answers" ? fault.bytesPerSecond : undefined;
      const size = rate ? Math.max(1, Math.floor(rate / SLICES_A_SECOND)) : chunk.length;
      if (!to.write(chunk.subarray(start, start + size)) && !to.destroyed)
        await Promise.race([once(to, "drain"), once(to, "close")]);
      if (to.destroyed) throw new Error("the other side is gone");
      if (rate) await pause(1000 / SLICES_A_SECOND);
      start += size;
    }
  }

  function change(next: ConnectionFault): void {
    fault = next;
    changed.resolve();
    changed = Promise.withResolvers();
  }

  function reset(): void {
    for (const socket of sockets) socket.resetAndDestroy();
  }

  const port = await listen(0);
  return {
    port,
    through(url) {
      const address = new URL(url);
      address.hostname = "127.0.0.1";
      address.port = String(port);
      return address.href.replace(/\/$/, "");
    },
    set(next) {
      if (next.refuse) server?.close();
      change(next);
      if (next.refuse) reset();
    },
    holdAt(text, direction) {
      const reached = Promise.withResolvers<void>();
      trigger = { text, direction, reached: reached.resolve };
      return reached.promise;
    },
    reset,
    mend() {
      trigger = undefined;
      if (fault.refuse) void listen(port);
      change({});
    },
    async close() {
      change({});
      reset();
      if (server?.listening) {
        server.close();
        await once(server, "close");
      }
    },
  };
}
