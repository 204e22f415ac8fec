import { createCipheriv, createECDH, createPrivateKey, ECDH, hkdfSync, randomBytes, sign } from "node:crypto";

const CURVE = "prime256v1";
const RECORD_BYTES = 4_096;
const TOKEN_SECONDS = 12 * 3_600;

/** A browser's keys, base64url. */
export interface PushKeys {
  p256dh: string;
  auth: string;
}

/** The server's key pair, by which push services know it. */
export interface ServerKeys {
  /** What browsers call `applicationServerKey`, base64url. */
  publicKey: string;
  privateKey: Buffer;
}

/** Makes the server's key pair of a secret of 32 bytes. */
export function serverKeys(secret: Buffer): ServerKeys {
  const pair = createECDH(CURVE);
  pair.setPrivateKey(secret);
  return { publicKey: pair.getPublicKey("base64url"), privateKey: secret };
}

/** Returns true if these can be the keys of a browser. */
export function areKeys({ p256dh, auth }: PushKeys): boolean {
  try {
    return (
      Buffer.from(auth, "base64url").length === 16 &&
      ECDH.convertKey(p256dh, CURVE, "base64url", "hex", "uncompressed").length === 130
    );
  } catch {
    return false; // The point is not on the curve.
  }
}

/** Encrypts a text for one browser (RFC 8291, `aes128gcm`). Push services can't read it. */
export function encryptPush(text: string, keys: PushKeys): Buffer {
  const receiver = Buffer.from(keys.p256dh, "base64url");
  const pair = createECDH(CURVE);
  const sender = pair.generateKeys();
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), receiver, sender]);
  const secret = derive(pair.computeSecret(receiver), Buffer.from(keys.auth, "base64url"), info, 32);
  const salt = randomBytes(16);
  const key = derive(secret, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = derive(secret, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  // A byte of 2 ends the only record.
  const sealed = [cipher.update(text), cipher.update(Buffer.from([2])), cipher.final(), cipher.getAuthTag()];
  const header = Buffer.alloc(5);
  header.writeUInt32BE(RECORD_BYTES, 0);
  header.writeUInt8(sender.length, 4);
  return Buffer.concat([salt, header, sender, ...sealed]);
}

/** Returns the header that tells a push service who we are (RFC 8292). */
export function vapidHeader(endpoint: string, keys: ServerKeys, subject: string, now = Date.now()): string {
  const point = Buffer.from(keys.publicKey, "base64url");
  const key = createPrivateKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      d: keys.privateKey.toString("base64url"),
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33).toString("base64url"),
    },
  });
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(now / 1_000) + TOKEN_SECONDS,
    sub: subject,
  };
  const text = `${encoded({ typ: "JWT", alg: "ES256" })}.${encoded(claims)}`;
  const signature = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
  return `vapid t=${text}.${signature.toString("base64url")}, k=${keys.publicKey}`;
}

function derive(secret: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, length));
}
