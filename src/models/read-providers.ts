import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { importFile } from "../protocol/import-file.ts";
import type { Provider } from "../protocol/provider.ts";

/** Loads the vendors' folder, where a file's name is the vendor's id. Vendors in `own` replace ours of the same id. */
export async function readProviders(own: readonly Provider[] = []): Promise<Provider[]> {
  const ours = await readFolder();
  return [...own, ...ours.filter(({ id }) => !own.some((provider) => provider.id === id))];
}

async function readFolder(): Promise<Provider[]> {
  const folder = new URL("./providers/", import.meta.url);
  const names = (await readdir(fileURLToPath(folder)))
    .filter((name) => /^[\w-]+\.(ts|js)$/.test(name))
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const { default: provider } = (await importFile(new URL(name, folder).href)) as { default: Provider };
      if (provider?.id !== name.replace(/\.\w+$/, ""))
        throw new Error(`providers/${name} must define the provider of its name`);
      return provider;
    }),
  );
}

const MOST_DAYS = 120;

/** Returns a sentence for each vendor whose facts have not been checked for 120 days. */
export function oldFacts(providers: readonly Provider[], now: Date): string[] {
  return providers.flatMap(({ id, checked }) => {
    const days = checked === undefined ? 0 : Math.floor((now.getTime() - Date.parse(checked)) / 86_400_000);
    return days > MOST_DAYS
      ? [`The facts in providers/${id}.ts were last checked on ${checked}, ${days} days ago.`]
      : [];
  });
}
