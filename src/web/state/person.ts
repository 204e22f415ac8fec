import { create } from "zustand";
import type { ModelListing, ToolListing } from "../../protocol/chat.ts";
import { readKeptPreferences } from "./kept-preferences.ts";
import { ask, chat, type Me } from "./server.ts";
import { refreshSessions } from "./sessions.ts";

interface PersonState {
  me?: Me;
  models: ModelListing[];
  tools: ToolListing[];
}

/** Who is here, and what is on offer to them. */
export const person = create<PersonState>(() => ({ models: [], tools: [] }));

/** Reads again who is here and what is left of their limits. */
export async function refreshMe(): Promise<void> {
  person.setState({ me: await ask<Me>("GET", "/me") });
}

/** Reads everything again, for somebody who has just come or changed who they are. */
export async function refreshAll(): Promise<void> {
  await refreshMe();
  await Promise.all([refreshOffer(), refreshSessions(), readKeptPreferences()]);
}

/** True where the person here may administer the server. */
export function mayAdminister(me: Me | undefined): boolean {
  return me?.role === "admin" || me?.kind === "owner";
}

/** Reads again what is on offer. */
export async function refreshOffer(): Promise<void> {
  const [models, tools] = await Promise.all([chat.models(), chat.tools()]);
  person.setState({ models, tools });
}
