import { create } from "zustand";
import type { ModelListing, ToolListing } from "../../protocol/chat.ts";
import { Failure } from "../../protocol/failure.ts";
import { forgetCopies } from "../installed/kept-copies.ts";
import { keyChanges } from "./account-changes.ts";
import { followAccountFeed } from "./account-feed.ts";
import { loadDrafts } from "./drafts.ts";
import { notifyUnlessCutOff } from "./notices.ts";
import { ask, chat, type Me } from "./server.ts";
import { refreshSessions } from "./sessions.ts";
import { loadPreferences } from "./synced-preferences.ts";

interface PersonState {
  me?: Me;
  models: ModelListing[];
  tools: ToolListing[];
}

/** The person, and the models and tools they can use. */
export const person = create<PersonState>(() => ({ models: [], tools: [] }));

/** Loads who the person is and what is left of their limits. */
export async function refreshMe(): Promise<void> {
  person.setState({ me: await ask<Me>("GET", "/me") });
}

/** Loads everything, at the start and after signing in or out. */
export async function refreshAll(): Promise<void> {
  try {
    await refreshMe();
  } catch (thrown) {
    if (!(thrown instanceof Failure && thrown.code === "UNAUTHORIZED")) throw thrown;
    await forgetCopies();
    return location.replace(`/sign-in${location.hash}`);
  }
  followAccountFeed();
  await Promise.all([refreshModelsAndTools(), refreshSessions(), loadPreferences(), loadDrafts()]);
}

/** Returns true if the person may administer the server. */
export function mayAdminister(me: Me | undefined): boolean {
  return me?.role === "admin" || me?.kind === "owner";
}

keyChanges.subscribe(() => void refreshModelsAndTools().catch(notifyUnlessCutOff));

/** Loads the models and tools that the person can use. */
export async function refreshModelsAndTools(): Promise<void> {
  const [models, tools] = await Promise.all([chat.models(), chat.tools()]);
  person.setState({ models, tools });
}
