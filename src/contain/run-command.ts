import type { CommandCaller, CommandOrder, CommandServices } from "../protocol/commands.ts";
import type { Sandbox } from "../protocol/tool.ts";
import type { CommandLimits } from "./command/limits.ts";
import { type ContainedResult, runContained } from "./command.ts";

export interface CommandEnd extends ContainedResult {
  /** The hosts that it wanted to reach and may not, as `host:port`. */
  denied: readonly string[];
}

/** Where and for whom a command runs. */
export interface CommandPlace extends CommandCaller {
  readonly sandbox: Sandbox;
  readonly commands?: CommandServices;
}

const MEGABYTE = 1024 * 1024;
/** What is downloaded may be large. */
const NETWORK_LIMITS: Partial<CommandLimits> = { fileBytes: 1024 * MEGABYTE };
/** A server runs for hours, and may print all the time. */
const BACKGROUND_LIMITS: Partial<CommandLimits> = {
  cpuSeconds: 12 * 60 * 60,
  outputBytes: Number.POSITIVE_INFINITY,
};

/** Runs a command with the person's home, programs and network. Rejects as `runContained` does. */
export async function runCommand(
  { sandbox, commands, ...caller }: CommandPlace,
  { command, ...order }: CommandOrder & { onBytes?(chunk: Buffer): void },
): Promise<CommandEnd> {
  const isBackground = order.onBytes !== undefined;
  const profile = await commands?.profileFor(caller);
  const network = order.readOnly ? undefined : await commands?.networkFor(caller, isBackground);
  try {
    const result = await runContained(command, {
      ...order,
      roots: caller.roots,
      protect: caller.protectedPaths ?? [],
      sandbox,
      profile,
      network,
      limits: {
        ...(commands && commands.hosts.length > 0 && network ? NETWORK_LIMITS : {}),
        ...(isBackground ? BACKGROUND_LIMITS : {}),
      },
    });
    return { ...result, denied: network?.takeDenied() ?? [] };
  } finally {
    await network?.release();
  }
}
