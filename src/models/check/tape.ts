import type { Transport, TransportRequest, TransportResponse } from "../wire/transport.ts";

/** One request to a vendor and as much of the answer as was read. */
export interface TapedExchange {
  method: string;
  /** Path and query, without the host. */
  path: string;
  body: string | undefined;
  status: number;
  headers: TransportResponse["headers"];
  answer: Uint8Array[];
}

/** Returns the transport with everything that passes through it kept on a tape. Model lists are not kept. */
export function tapeTransport(transport: Transport, tape: TapedExchange[]): Transport {
  return {
    async send(request) {
      const response = await transport.send(request);
      if (request.method === "GET") return response;
      const exchange = exchangeOf(request, response);
      tape.push(exchange);
      return { ...response, discard: () => response.discard(), body: kept(response.body, exchange.answer) };
    },
    close: () => transport.close(),
  };
}

function exchangeOf(
  { method, url, body }: TransportRequest,
  { status, headers }: TransportResponse,
): TapedExchange {
  const { pathname, search } = new URL(url);
  const text = typeof body === "string" ? body : undefined;
  return { method, path: `${pathname}${search}`, body: text, status, headers, answer: [] };
}

async function* kept(body: AsyncIterable<Uint8Array>, packets: Uint8Array[]): AsyncIterable<Uint8Array> {
  for await (const packet of body) {
    packets.push(packet.slice());
    yield packet;
  }
}
