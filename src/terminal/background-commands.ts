import type { Chat } from "../protocol/chat.ts";
import type { BackgroundCommand } from "../protocol/commands.ts";
import { Failure } from "../protocol/failure.ts";
import type { SlashCommand } from "./commands.ts";
import { truncate } from "./lines.ts";
import type { Screen } from "./screen.ts";
import { duration, oneLine } from "./wording.ts";

const LOOK_MS = 3_000;
const MOST_LINES = 3;

/** Knows which commands of the session continue in the background, for the lines above the prompt. */
export class RunningCommands {
  readonly #chat: Chat;
  readonly #onChange: () => void;
  #running: BackgroundCommand[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(chat: Chat, onChange: () => void) {
    this.#chat = chat;
    this.#onChange = onChange;
  }

  /** Looks now, and again as long as one is running. */
  async look(sessionId: string | undefined): Promise<void> {
    clearTimeout(this.#timer);
    // What cannot be read is shown the next time.
    const all =
      sessionId === undefined ? [] : await this.#chat.commands(sessionId).catch(() => this.#running);
    this.#running = all.filter(({ state }) => state === "running");
    this.#onChange();
    if (this.#running.length > 0) this.#timer = setTimeout(() => void this.look(sessionId), LOOK_MS).unref();
  }

  lines({ columns, paint }: Screen): string[] {
    const shown = this.#running.slice(0, MOST_LINES).map(({ commandId, command, startedAt }) => {
      const end = ` · ${duration(Date.now() - Date.parse(startedAt))} · /stop ${commandId}`;
      return paint("dim", `  ▸ ${truncate(oneLine(command), Math.max(8, columns - end.length - 4))}${end}`);
    });
    const more = this.#running.length - shown.length;
    return more > 0 ? [...shown, paint("dim", `  ▸ ${more} more · /commands`)] : shown;
  }
}

export const BACKGROUND_COMMANDS: readonly SlashCommand[] = [
  {
    name: "commands",
    usage: "/commands",
    summary: "list the commands that go on in the background",
    atOnce: true,
    async run({ screen, chat, sessionId }) {
      const all = sessionId === undefined ? [] : await chat.commands(sessionId);
      const lines = all.map((one) =>
        truncate(`${one.commandId}  ${stateOf(one)}  ${oneLine(one.command)}`, screen.columns),
      );
      screen.print(
        ...(lines.length > 0 ? lines : [screen.paint("dim", "There are no background commands.")]),
      );
    },
  },
  {
    name: "stop",
    usage: "/stop ID",
    summary: "stop a command that goes on in the background",
    atOnce: true,
    async run(conversation, commandId) {
      const { screen, chat, sessionId } = conversation;
      if (sessionId === undefined || commandId === "")
        throw new Failure("INVALID_INPUT", "Write /stop and the id of a command. /commands lists them.");
      const { command } = await chat.stopCommand(sessionId, commandId);
      screen.print(screen.paint("dim", truncate(`Stopped: ${oneLine(command)}`, screen.columns)));
      await conversation.running.look(sessionId);
    },
  },
];

function stateOf({ state, exitCode, reason }: BackgroundCommand): string {
  if (state === "exited") return `exit code ${exitCode}`;
  return state === "stopped" && reason ? `stopped (${oneLine(reason)})` : state;
}
