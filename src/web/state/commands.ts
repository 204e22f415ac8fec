import { create } from "zustand";
import type { BackgroundCommand } from "../../protocol/commands.ts";
import { attempt } from "./notices.ts";
import { chat } from "./server.ts";

const LOOK_MS = 5_000;

/** The commands of the open conversation that continue in the background. */
export const commands = create<{ running: BackgroundCommand[] }>(() => ({ running: [] }));

let timer: ReturnType<typeof setTimeout> | undefined;

/** Looks which commands run, and again as long as one does. */
export async function lookForCommands(sessionId: string | undefined, signal: AbortSignal): Promise<void> {
  clearTimeout(timer);
  // What cannot be read is looked for the next time.
  const found =
    sessionId === undefined ? [] : await chat.commands(sessionId).catch(() => commands.getState().running);
  if (signal.aborted) return;
  const running = found.filter(({ state }) => state === "running");
  if (running.length + commands.getState().running.length > 0) commands.setState({ running });
  if (running.length > 0) timer = setTimeout(() => void lookForCommands(sessionId, signal), LOOK_MS);
}

/** Stops a command. */
export async function stopCommand(sessionId: string, commandId: string): Promise<void> {
  await attempt(async () => {
    await chat.stopCommand(sessionId, commandId);
    commands.setState(({ running }) => ({ running: running.filter((one) => one.commandId !== commandId) }));
  });
}
