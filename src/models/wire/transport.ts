/** The network as the wire sees it: handed in, so that the wire itself never opens a connection. */
export interface Transport {
  /** Resolves once the head of the answer is there. Rejects with a `TransportError`, or as the signal says. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface TransportRequest {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  signal: AbortSignal;
}

export interface TransportResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Throws when the connection ends before the answer does. */
  body: AsyncIterable<Uint8Array>;
  /** Nobody wants the rest: frees the connection. Must not throw. */
  discard(): void;
}

/** An iterator that can also hand on what comes by callback, which is cheaper than a promise for each packet. */
export interface PacketIterator extends AsyncIterator<Uint8Array> {
  /** Until the end, or until `take` answers that it has enough. Rejects with what `take` throws, or as `next` does. */
  forEach?(take: (packet: Uint8Array) => boolean): Promise<void>;
}

/** Where a request got stuck: its form, the host's name, the connection, its certificate, before or in the answer. */
export type TransportStage =
  | "request"
  | "name"
  | "connect"
  | "connect_timeout"
  | "certificate"
  | "unanswered"
  | "closed";

/** What the network did to a request. */
export class TransportError extends Error {
  readonly stage: TransportStage;

  constructor(stage: TransportStage, cause: unknown) {
    super(`transport: ${stage}`, { cause });
    this.name = "TransportError";
    this.stage = stage;
  }
}
