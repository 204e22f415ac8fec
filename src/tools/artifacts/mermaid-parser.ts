export interface DiagramProblem {
  message: string;
  line: number;
}

interface MermaidError extends Error {
  hash?: { loc?: { first_line?: number } };
}

type Parse = (text: string) => Promise<unknown>;

const BUNDLE = new URL("../../../dist/checks/mermaid.mjs", import.meta.url).href;
let loading: Promise<{ parse: Parse }> | undefined;

/** Returns the error that mermaid's parser reports, or undefined for a valid diagram. */
export async function diagramProblem(text: string): Promise<DiagramProblem | undefined> {
  loading ??= import(BUNDLE) as Promise<{ parse: Parse }>;
  const { parse } = await loading;
  try {
    await parse(text);
    return undefined;
  } catch (thrown) {
    const { message, hash } = thrown as MermaidError;
    return { message, line: hash?.loc?.first_line ?? Number(/line (\d+)/.exec(message)?.[1] ?? 1) };
  }
}
