import type { CallContexts } from "../../protocol/call-context.ts";
import type { Registry } from "../../protocol/registry.ts";
import { createRegistry } from "../../tools/registry.ts";
import { createCallContexts } from "../call-context.ts";
import type { Closing } from "../closing.ts";
import type { Config } from "../config.ts";
import { type ExternalTools, startExternalTools } from "../external-tools.ts";
import type { OwnParts } from "../tackle.ts";
import type { Data } from "./data.ts";

/** The tools that are on offer, and what confines them. */
export interface Tools {
  registry: Registry;
  external: ExternalTools;
  /** Contexts without what depends on models and files. */
  contexts: CallContexts;
}

/** Reads the built-in tools, the user's and the program's own, and connects MCP servers and OpenAPI documents. */
export async function openTools(
  config: Config,
  own: Pick<OwnParts, "tools" | "builtInTools">,
  { store, log, keyFor }: Data,
  closing: Closing,
): Promise<Tools> {
  const onProblem = (line: string) => log.warn(line);
  const contexts = await createCallContexts(
    config,
    closing,
    async (sessionId) => (await store.getSession(sessionId)) !== undefined,
  );
  const registry = await createRegistry({
    userDir: config.toolsDir,
    only: own.builtInTools,
    guestTools: config.guestTools,
    settings: { roots: config.roots, env: config.settings, sandbox: contexts.sandbox },
    onProblem,
  });
  closing.add(() => registry.close());
  for (const tool of own.tools ?? []) registry.add(tool, "program");
  const external = await startExternalTools({ config, store, registry, keyFor, onProblem });
  closing.add(() => external.close());
  return { registry, external, contexts };
}
