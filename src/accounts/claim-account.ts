import type { Store } from "../protocol/store.ts";
import type { Directory } from "./directory.ts";

/** What sends something of the account elsewhere: to browsers, and to vendors and MCP servers in somebody's name. */
const LEADS_OUT = /^(?:push|key|mcp:auth):/;

/**
 * Hands an account to the person who has just proven that its email address is theirs. If nobody ever did, a stranger may have
 * made it in advance: nothing stays by which they could enter, or would be told what happens in it.
 */
export async function claimAccount(
  { store, directory }: { store: Pick<Store, "getSettings" | "putSetting">; directory: Directory },
  id: string,
): Promise<void> {
  if (!(await directory.claim(id))) return;
  const leads = Object.keys(await store.getSettings(id)).filter((name) => LEADS_OUT.test(name));
  for (const name of leads) await store.putSetting(id, name, undefined);
}
