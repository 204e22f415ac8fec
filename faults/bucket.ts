import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Starts a minimal in-memory object storage that a scenario can stop. */
export async function startBucket(): Promise<{ url: string; close(): Promise<void> }> {
  const kept = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method === "PUT") kept.set(path, Buffer.concat(chunks));
    if (request.method === "DELETE") kept.delete(path);
    const bytes = request.method === "GET" ? kept.get(path) : undefined;
    response.writeHead(request.method === "GET" && !bytes ? 404 : 200).end(bytes);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
