import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject, parseJson } from "../protocol/json.ts";
import type { ModelInfo } from "../protocol/model.ts";
import type { Provider } from "../protocol/provider.ts";

/** The last model list of each vendor, as it came, so that a start without the network still knows it. */
export interface ListCache {
  /** Returns the models of the last list from this address. Undefined if there is none. */
  read(provider: Provider, baseUrl: string): Promise<readonly ModelInfo[] | undefined>;
  /** Keeps a list. Must not throw. */
  keep(provider: Provider, baseUrl: string, body: unknown): Promise<void>;
}

/** Keeps lists as files in a folder. A file that cannot be read or written only costs a request. */
export function createListCache(folder: string, onProblem: (thrown: unknown) => void): ListCache {
  const fileOf = ({ id }: Provider) => join(folder, `${id}.json`);
  return {
    async read(provider, baseUrl) {
      const text = await readFile(fileOf(provider), "utf8").catch(() => "");
      const kept = parseJson(text);
      if (!isObject(kept) || kept.baseUrl !== baseUrl) return undefined;
      return provider.list?.read(kept.body);
    },
    async keep(provider, baseUrl, body) {
      const file = fileOf(provider);
      try {
        await mkdir(folder, { recursive: true });
        const part = `${file}.${process.pid}.part`;
        await writeFile(part, JSON.stringify({ baseUrl, body }), { mode: 0o600 });
        await rename(part, file);
      } catch (thrown) {
        onProblem(thrown);
      }
    },
  };
}
