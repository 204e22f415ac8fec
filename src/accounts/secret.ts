import { hkdfSync, randomBytes } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE_NAME = "secret.key";

/** Returns the server's secret: the setting, or a file in the data directory that only its owner can read. */
export function readSecret(dataDir: string, setting: string | undefined): string {
  if (setting !== undefined) return setting;
  const path = join(dataDir, FILE_NAME);
  try {
    writeFileSync(path, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    chmodSync(path, 0o600);
  }
  return readFileSync(path, "utf8").trim();
}

/** Derives a key of 32 bytes for one purpose. Keys of different purposes are independent. */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `tackle ${purpose}`, 32));
}
