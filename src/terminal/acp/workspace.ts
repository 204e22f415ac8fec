import type { McpServer } from "@agentclientprotocol/sdk";
import type { Chat } from "../../protocol/chat.ts";

/** What an editor wants a session to work with. */
export interface WorkspaceOptions {
  /** The session's folder. Relative paths start there. */
  cwd: string;
  /** Other folders that the session may use. */
  folders: readonly string[];
  mcpServers: readonly McpServer[];
}

/** The app, opened for one folder. */
export interface Workspace {
  chat: Chat;
  close(): Promise<void>;
}

/** What the program that starts the agent provides. */
export interface AcpHost {
  version: string;
  open(options: WorkspaceOptions): Promise<Workspace>;
  /** Called with what went wrong where no answer can say it. */
  onProblem(thrown: unknown): void;
}
