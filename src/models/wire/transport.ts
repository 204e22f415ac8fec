/** The network as the dialects see it. It is passed in, so that `wire/` never opens a connection. */
export interface Transport {
  /** Resolves with the headers of the answer. Rejects with a `TransportError` or the signal's reason. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes all connections. */
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
  /** Throws if the connection ends before the answer does. */
  body: AsyncIterable<Uint8Array>;
  /** Gives up the rest of the body and frees the connection. Must not throw. */
  discard(): void;
}

/** An iterator that can also deliver packets by callback, which is cheaper than a promise per packet. */
export interface PacketIterator extends AsyncIterator<Uint8Array> {
  /** Runs until the end, or until `take` returns false. Rejects with what `take` throws, or as `next` does. */
  forEach?(take: (packet: Uint8Array) => boolean): Promise<void>;
}

/** Where a request failed: its form, DNS, the connection, a proxy, a certificate, before or during the answer. */
export type TransportStage =
  | "request"
  | "name"
  | "connect"
  | "connect_timeout"
  | "proxy"
  | "certificate"
  | "unanswered"
  | "closed";

/** A request that failed in the network. */
export class TransportError extends Error {
  readonly stage: TransportStage;

  constructor(stage: TransportStage, cause: unknown) {
    super(`transport: ${stage}`, { cause });
    this.name = "TransportError";
    this.stage = stage;
  }
}
