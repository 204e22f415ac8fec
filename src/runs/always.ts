import type { AlwaysApproval, AlwaysApprovals } from "../protocol/always.ts";
import type { AlwaysCovers } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import { isObject, parseJson } from "../protocol/json.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";
import { readStored, storedNames } from "../protocol/stored.ts";
import { hashOf } from "./ids.ts";

/** The settings that hold what a person said "always" to in a session, and when. */
export const ALWAYS = "always:";
const TIMES = "alwaysAt:";

/** Notes when a person said "always". */
export async function noteTime(store: Store, { userId, sessionId }: Run, what: string): Promise<void> {
  const known = (await store.getSettings(userId))[TIMES + sessionId];
  await store.putSetting(userId, TIMES + sessionId, {
    ...(isObject(known) ? known : {}),
    [what]: Date.now(),
  });
}

/** Lists what people said "always" to, and takes it back. */
export function createAlways(store: Store): AlwaysApprovals {
  async function found(userId: string): Promise<(AlwaysApproval & { what: string; names: string[] })[]> {
    const settings = await store.getSettings(userId);
    const sessions = Object.keys(settings).filter((name) => name.startsWith(ALWAYS));
    const lists = await Promise.all(
      sessions.map(async (setting) => {
        const sessionId = setting.slice(ALWAYS.length);
        const session = await store.getSession(sessionId);
        if (session?.userId !== userId) return [];
        const names = [
          ...readStored(storedNames, settings[setting] ?? [], `The approvals of session ${sessionId}`),
        ];
        const times = settings[TIMES + sessionId];
        return names.map((what) => {
          const at = isObject(times) && Object.hasOwn(times, what) ? times[what] : undefined;
          return {
            id: hashOf({ sessionId, what }).slice(0, 32),
            sessionId,
            title: session.title,
            covers: readScope(what),
            ...(typeof at === "number" ? { at: new Date(at).toISOString() } : {}),
            what,
            names,
          };
        });
      }),
    );
    return lists.flat().sort((left, right) => (right.at ?? "").localeCompare(left.at ?? ""));
  }

  return {
    async list(userId) {
      return (await found(userId)).map(({ what: _, names: __, ...approval }) => approval);
    },
    async remove(userId, id) {
      const one = (await found(userId)).find((approval) => approval.id === id);
      if (!one) throw new Failure("NOT_FOUND", "There is no such approval.");
      const { what, names, ...approval } = one;
      const kept = names.filter((name) => name !== what);
      await store.putSetting(userId, ALWAYS + one.sessionId, kept.length === 0 ? undefined : kept);
      return approval;
    },
  };
}

/** Reads the key under which a scope is stored. */
function readScope(what: string): AlwaysCovers {
  const [, tool = what, rest] = /^(.*?): (.*)$/s.exec(what) ?? [];
  if (rest === undefined) return { tool };
  const targets = rest.startsWith("[") ? parseJson(rest) : undefined;
  if (Array.isArray(targets)) {
    const words = targets.map(String);
    const command = words.find((word) => word.startsWith('command: "'));
    const said = command === undefined ? undefined : parseJson(command.slice("command: ".length));
    return { tool, ...(typeof said === "string" ? { command: said } : {}), targets: words };
  }
  return rest.endsWith(" …") ? { tool, prefix: rest.slice(0, -2) } : { tool, operation: rest };
}
