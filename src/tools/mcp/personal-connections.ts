import type { ServerConnection } from "./server-connection.ts";

/** A person's own connection ends when it was not used for this time. */
const IDLE_MS = 10 * 60_000;
const MOST_CONNECTIONS = 200;

/** The connections that single people have to one server. */
export class PersonalConnections {
  private readonly open = new Map<string, { connection: ServerConnection; usedAt: number }>();
  private timer: NodeJS.Timeout | undefined;

  /** Returns a person's connection. `create` makes it if they have none. */
  of(userId: string, create: () => ServerConnection): ServerConnection {
    const known = this.open.get(userId) ?? { connection: create(), usedAt: 0 };
    known.usedAt = performance.now();
    this.open.set(userId, known);
    if (this.open.size > MOST_CONNECTIONS) this.closeIdle();
    this.timer ??= setInterval(() => this.closeIdle(), IDLE_MS).unref();
    return known.connection;
  }

  async close(userId: string): Promise<void> {
    const known = this.open.get(userId);
    this.open.delete(userId);
    await known?.connection.stop();
  }

  async closeAll(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([...this.open.keys()].map((userId) => this.close(userId)));
  }

  /** Closes what was not used lately, and what was used least if there are too many. */
  private closeIdle(): void {
    const now = performance.now();
    const idle = [...this.open]
      .sort(([, one], [, other]) => other.usedAt - one.usedAt)
      .filter(([, { usedAt }], at) => now - usedAt > IDLE_MS || at >= MOST_CONNECTIONS);
    for (const [userId] of idle) void this.close(userId);
  }
}
