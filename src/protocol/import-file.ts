/** Loads a module that is known only by its address. The bundle of the server has another one, which knows the product's own files. */
export function importFile(url: string): Promise<{ default?: unknown }> {
  return import(url);
}
