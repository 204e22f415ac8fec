import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Certificate {
  key: string;
  cert: string;
}

export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** Makes a certificate that vouches for itself. `names` are as openssl writes them: `IP:127.0.0.1,DNS:localhost`. */
export function makeCertificate(names: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "tackle-certificate-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  try {
    const made = spawnSync("openssl", [
      ...[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
      ],
      ...["-subj", "/CN=mail.test", "-addext", `subjectAltName=${names}`, "-keyout", key, "-out", cert],
    ]);
    if (made.status !== 0) throw new Error(`openssl made no certificate: ${made.stderr}`);
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
