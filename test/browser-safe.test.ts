import { readdirSync } from "node:fs";
import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";

const rooms = ["protocol", "client"];

it("bundles protocol and client for the browser without Node modules", async () => {
  const entryPoints = rooms.flatMap(sourcesOf);
  expect(entryPoints.length).toBeGreaterThan(15);
  const found: string[] = [];
  const { outputFiles, metafile } = await build({
    entryPoints,
    bundle: true,
    platform: "browser",
    format: "esm",
    write: false,
    metafile: true,
    outdir: "out",
    logLevel: "silent",
    plugins: [
      {
        name: "built-ins",
        setup(plugin) {
          plugin.onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
            if (kind === "entry-point" || !isBuiltin(path)) return undefined;
            found.push(`${importer} imports ${path}`);
            return { path, external: true };
          });
        },
      },
    ],
  });
  expect(found).toEqual([]);
  const client = outputFiles.find(({ path }) => path.endsWith("client/chat.js"));
  expect(client?.text).toContain("last-event-id");
  expect(Object.keys(metafile.inputs).some((path) => path.includes("eventsource-parser"))).toBe(true);
  expect(outputFiles).toHaveLength(entryPoints.length);
});

function sourcesOf(room: string): string[] {
  const folder = fileURLToPath(new URL(`../src/${room}/`, import.meta.url));
  return readdirSync(folder)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.startsWith("test-"))
    .map((name) => folder + name);
}
