import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { readProviders } from "../../src/models/read-providers.ts";
import { SEARCH_PROVIDERS } from "../../src/tools/search/providers.ts";

export const root = resolve(import.meta.dirname, "../..");

export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Reads a YAML file of the repository. The caller says what is in it. */
export function readYaml<Shape>(path: string): Shape {
  return parse(readText(path), { merge: true });
}

/** The names of the files in a folder of the repository. */
export function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder));
}

/** The settings that hold the keys of vendors and search services, and their addresses. */
export async function vendorSettings(): Promise<{ keys: string[]; addresses: string[] }> {
  // The demo model is in the process itself.
  const providers = (await readProviders()).filter(({ id }) => id !== "demo");
  const vendors = [...providers, ...SEARCH_PROVIDERS];
  const names = (pick: "keySetting" | "baseUrlSetting") => vendors.flatMap((vendor) => vendor[pick] ?? []);
  return { keys: names("keySetting"), addresses: names("baseUrlSetting") };
}
