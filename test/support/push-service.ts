import { createDecipheriv, createECDH, createPublicKey, hkdfSync, verify } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that arrived, with the raw body. */
export interface Arrived {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A service on this machine that collects requests. */
export interface Service {
  url: string;
  host: string;
  arrived: Arrived[];
  /** The status of the next answers; 201 once they are used up. */
  statuses: number[];
  close(): void;
}

/** Starts a service such as a push service or the operator's own. */
export async function startService(): Promise<Service> {
  const arrived: Arrived[] = [];
  const statuses: number[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    arrived.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) });
    response.writeHead(statuses.shift() ?? 201).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}`,
    host,
    arrived,
    statuses,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A browser's side of Web Push. */
export class Subscriber {
  readonly #pair = createECDH("prime256v1");
  readonly #auth: Buffer;

  constructor(privateKey: string, auth: string) {
    this.#pair.setPrivateKey(privateKey, "base64url");
    this.#auth = Buffer.from(auth, "base64url");
  }

  get keys(): { p256dh: string; auth: string } {
    return { p256dh: this.#pair.getPublicKey("base64url"), auth: this.#auth.toString("base64url") };
  }

  /** Decrypts a body with the content encoding `aes128gcm`. */
  decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const idLength = body.readUInt8(20);
    const sender = body.subarray(21, 21 + idLength);
    const sealed = body.subarray(21 + idLength);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), this.#pair.getPublicKey(), sender]);
    const derive = (secret: Buffer, by: Buffer, text: string | Buffer, length: number) =>
      Buffer.from(hkdfSync("sha256", secret, by, text, length));
    const secret = derive(this.#pair.computeSecret(sender), this.#auth, info, 32);
    const key = derive(secret, salt, "Content-Encoding: aes128gcm\0", 16);
    const decipher = createDecipheriv(
      "aes-128-gcm",
      key,
      derive(secret, salt, "Content-Encoding: nonce\0", 12),
    );
    decipher.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    return plain.subarray(0, plain.lastIndexOf(2)).toString();
  }
}

/** Returns the claims of a VAPID header whose signature is right. */
export function claimsOf(authorization: string): Record<string, unknown> {
  const [, head = "", claims = "", signature = "", key = ""] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  const point = Buffer.from(key, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"));
  const publicKey = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y } });
  const signed = Buffer.from(`${head}.${claims}`);
  if (
    !verify(
      "sha256",
      signed,
      { key: publicKey, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    )
  )
    throw new Error("the signature is wrong");
  return JSON.parse(Buffer.from(claims, "base64url").toString());
}
