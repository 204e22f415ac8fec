import { create } from "zustand";
import { fenceFor } from "../../protocol/fence.ts";
import { t } from "../text/t.ts";
import { conversation } from "./conversation.ts";

/** A part of an artifact that the person wants to change. Its HTML comes from the artifact and is only ever text. */
export interface ChosenPart {
  artifactId: string;
  title: string;
  version: number;
  html: string;
}

/** The chosen part, and the conversation it was chosen in. */
const chosen = create<{ part?: ChosenPart | undefined; sessionId?: string | undefined }>(() => ({}));

/** Chooses the part that the next message is about. */
export function choosePart(part: ChosenPart): void {
  chosen.setState({ part, sessionId: conversation.getState().sessionId });
}

/** Forgets the chosen part. */
export function forgetPart(): void {
  chosen.setState({ part: undefined });
}

/** Returns the part that the next message of the open conversation is about. */
export function useChosenPart(): ChosenPart | undefined {
  const sessionId = conversation((state) => state.sessionId);
  return chosen((state) => (state.sessionId === sessionId ? state.part : undefined));
}

/** Returns a message with the chosen part quoted below it, and forgets the part. */
export function withPart(text: string): string {
  const { part, sessionId } = chosen.getState();
  if (!part || sessionId !== conversation.getState().sessionId) return text;
  forgetPart();
  const { artifactId: id, title, version, html } = part;
  const fence = fenceFor(html);
  return `${text}\n\n${t("partRequest", { title, id, version })}\n\n${fence}html\n${html}\n${fence}`;
}
