import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";

interface Package {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const file = resolve(import.meta.dirname, "../package-lock.json");
const { packages } = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Package> };

// npm installs no more than the lockfile has. It leaves out builds that the registry lacks, or that it did not install when the
// lockfile was written on a machine with packages: then a clone cannot build the web app on a Mac.
it("holds the builds of every native package for all platforms that it has builds for", () => {
  const missing = Object.entries(packages).flatMap(([folder, { dependencies, optionalDependencies }]) =>
    Object.entries({ ...dependencies, ...optionalDependencies })
      .filter(([name]) => !foldersFor(name, folder).some((one) => one in packages))
      .map(([name, version]) => `${name}@${version} of ${folder}`),
  );
  expect(missing).toEqual([]);
});

it("names no address to download from", () => {
  const addresses = Object.values(packages).flatMap((one) => ("resolved" in one ? [one.resolved] : []));
  expect(addresses.filter((address) => String(address).includes(":"))).toEqual([]);
});

/** Where Node looks for a package that one in this folder needs, nearest first. */
function foldersFor(name: string, folder: string): string[] {
  const parents = folder
    .split("/node_modules/")
    .map((_, at, all) => all.slice(0, at + 1).join("/node_modules/"));
  return [...parents.reverse().map((parent) => `${parent}/node_modules/${name}`), `node_modules/${name}`];
}
