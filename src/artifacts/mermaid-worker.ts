import { parentPort } from "node:worker_threads";

// mermaid's own parsers, in a thread of their own: they are large, and a text can keep them busy.

interface MermaidError extends Error {
  hash?: { loc?: { first_line?: number; first_column?: number } };
}

const bundle = new URL("../../dist/checks/mermaid.mjs", import.meta.url).href;
const { parse } = (await import(bundle)) as { parse(text: string): Promise<unknown> };

parentPort?.on("message", async ({ id, text }: { id: number; text: string }) => {
  try {
    await parse(text);
    parentPort?.postMessage({ id });
  } catch (thrown) {
    const { message, hash } = thrown as MermaidError;
    const line = hash?.loc?.first_line ?? Number(/line (\d+)/.exec(message)?.[1] ?? 1);
    parentPort?.postMessage({ id, problem: { message, line } });
  }
});
