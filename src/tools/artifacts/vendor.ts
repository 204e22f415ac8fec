import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A module that artifacts may import: its file, the files that it loads, and its exports. */
export interface VendorModule {
  file: string;
  needs: string[];
  exports: ReadonlySet<string>;
}

export interface Vendor {
  modules: ReadonlyMap<string, VendorModule>;
  files: ReadonlySet<string>;
}

export const VENDOR_FOLDER = fileURLToPath(new URL("../../../dist/vendor/", import.meta.url));

let loaded: Vendor | undefined;

/** Reads the manifest of the vendored modules. Throws where they have not been built. */
export function readVendor(): Vendor {
  loaded ??= parseManifest(readFileSync(`${VENDOR_FOLDER}manifest.json`, "utf8"));
  return loaded;
}

function parseManifest(text: string): Vendor {
  const { modules, files } = JSON.parse(text) as {
    modules: Record<string, { file: string; needs: string[]; exports: string[] }>;
    files: string[];
  };
  return {
    modules: new Map(
      Object.entries(modules).map(([name, one]) => [name, { ...one, exports: new Set(one.exports) }]),
    ),
    files: new Set(files),
  };
}

const files = new Map<string, Uint8Array<ArrayBuffer>>();

/** Returns a vendored file, or undefined for a name that is not in the manifest. */
export function readVendorFile(name: string): Uint8Array<ArrayBuffer> | undefined {
  const known = files.get(name);
  if (known) return known;
  if (!readVendor().files.has(name)) return undefined;
  const bytes = new Uint8Array(readFileSync(`${VENDOR_FOLDER}${name}`));
  files.set(name, bytes);
  return bytes;
}
