import { SdkError, SdkErrorCode, SdkHttpError, type Transport } from "@modelcontextprotocol/client";
import { needsPerson } from "./call-failures.ts";
import type { Connection, Handshake } from "./connection.ts";
import { LocalTransport } from "./local-transport.ts";
import { type RemoteParts, remoteTransport } from "./remote-transport.ts";
import type { LocalServer, RemoteServer } from "./settings.ts";

type Connect = (transport: Transport, handshake: Handshake, lastWords?: () => string) => Promise<Connection>;

/** Starts a local server and connects to it, in the newest revision that it has. */
export async function openLocal(
  settings: LocalServer,
  connect: Connect,
  onWords: (words: () => string) => void,
): Promise<Connection> {
  let transport: LocalTransport | undefined;
  const open = (handshake: Handshake) => {
    const started = new LocalTransport(settings);
    transport = started;
    onWords(() => started.lastWords());
    return connect(started, handshake, () => started.lastWords());
  };
  return open("auto").catch((error: unknown) => {
    // Some older servers end when they are asked for something unknown.
    if (!transport?.wasStarted) throw error;
    return open("legacy");
  });
}

/** Connects to a server over HTTP, in the newest revision that it has. */
export async function openRemote(
  settings: RemoteServer,
  parts: RemoteParts,
  connect: Connect,
): Promise<Connection> {
  const over = async (kind: "http" | "sse", handshake: Handshake) =>
    connect(await remoteTransport(settings, kind, parts), handshake);
  if (settings.transport === "sse") return over("sse", "legacy");
  try {
    return await over("http", "auto").catch((error: unknown) => {
      // An older server may stumble over the question for the newest revision.
      const stumbled = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
      if (!stumbled || needsPerson(error)) throw error;
      return over("http", "legacy");
    });
  } catch (error) {
    // Servers from before 2025 only support SSE and answer like this.
    const older = error instanceof SdkHttpError && [400, 404, 405].includes(error.status ?? 0);
    if (!older) throw error;
    return over("sse", "legacy").catch(() => {
      throw error;
    });
  }
}
