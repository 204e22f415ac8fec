import type { ServerState } from "./context.ts";

/** Returns the email addresses of those who have an account, by id. */
export async function namesOf({ deps }: ServerState, ids: ReadonlySet<string>): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const id of ids) {
    const account = await deps.accounts?.get(id);
    if (account) names.set(id, account.email);
  }
  return names;
}
