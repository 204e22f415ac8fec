import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as a collector reads it. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code: number };
  attributes: Record<string, unknown>;
}

export interface Collector {
  url: string;
  spans: CollectedSpan[];
  requests: { path: string; headers: Record<string, unknown>; body: string }[];
  /** The status codes of its responses, in order, then 200. */
  answers: number[];
  close(): Promise<void>;
}

interface Body {
  resourceSpans: {
    scopeSpans: { spans: (Omit<CollectedSpan, "attributes"> & { attributes: Pair[] })[] }[];
  }[];
}
type Pair = { key: string; value: Record<string, unknown> };

/** An OTLP collector over HTTP, on a real socket. */
export async function startCollector(): Promise<Collector> {
  const collector: Omit<Collector, "url" | "close"> = { spans: [], requests: [], answers: [] };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    collector.requests.push({ path: request.url ?? "", headers: request.headers, body });
    const status = collector.answers.shift() ?? 200;
    if (status === 200) collector.spans.push(...read(body));
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(collector, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

function read(body: string): CollectedSpan[] {
  return (JSON.parse(body) as Body).resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map((span) => ({
      ...span,
      attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
    }));
}
