import { readVendor } from "../vendor.ts";

export const READING = `body{font:16px/1.6 system-ui,sans-serif;margin:0;padding:24px;color:light-dark(#1e1d1a,#edeae4);overflow-wrap:break-word}pre{overflow:auto;padding:12px;background:light-dark(#f6f4f0,#131210);border-radius:8px}code{font:14px/1.5 ui-monospace,monospace}table{border-collapse:collapse}td,th{border:1px solid light-dark(#d9d5cc,#403d37);padding:4px 10px}blockquote{margin:0;padding-left:16px;border-left:4px solid light-dark(#d9d5cc,#403d37)}img{max-width:100%}a{color:light-dark(#0b6b63,#6fd0c2)}`;

export function importMap(names?: readonly string[]): string {
  const { modules } = readVendor();
  const wanted = names ?? [...modules.keys()].filter((name) => name !== "mermaid");
  const imports = Object.fromEntries(wanted.map((name) => [name, `/vendor/${modules.get(name)?.file}`]));
  return JSON.stringify({ imports });
}

export function inline(script: string, type: string): string {
  return `<script type="${type}">${script}</script>`;
}

/** Preloads modules and everything that they import, so that the browser does not discover them one by one. */
export function preloads(names: readonly string[]): string {
  const { modules } = readVendor();
  const files = new Set(
    names.flatMap((name) => [modules.get(name)?.file, ...(modules.get(name)?.needs ?? [])]),
  );
  files.delete(undefined);
  return [...files].map((file) => `<link rel="modulepreload" href="/vendor/${file}" crossorigin>`).join("");
}
