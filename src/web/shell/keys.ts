import { useEffect } from "react";
import { closeArtifact } from "../state/artifacts.ts";
import { conversation } from "../state/conversation.ts";
import { draft, editMessage } from "../state/draft.ts";
import { stop } from "../state/live-run.ts";
import { attempt } from "../state/notices.ts";
import { prefer } from "../state/preferences.ts";
import { askAgain } from "../state/questions.ts";
import { sessions } from "../state/sessions.ts";
import { view } from "../state/view.ts";
import { copyText } from "../ui/copy-text.ts";
import { openDialogs } from "../ui/dialog.tsx";
import { goTo } from "./address.ts";
import { listedIds } from "./session-list.tsx";

/** On narrow screens the list of conversations is a drawer above the page. */
const hasDrawer = () => matchMedia("(max-width: 999px)").matches;

/** Shows the list of conversations. */
export function showSidebar(): void {
  if (hasDrawer()) view.setState({ drawer: true });
  else prefer({ sidebarOpen: true });
}

/** Hides the list of conversations, or shows it. */
export function toggleSidebar(): void {
  if (hasDrawer()) view.setState(({ drawer }) => ({ drawer: !drawer }));
  else prefer({ sidebarOpen: document.querySelector(".app")?.getAttribute("data-sidebar") !== "true" });
}

/** The shortcuts that work everywhere, and those of the log. */
export function useKeys(): void {
  useEffect(() => {
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented) return;
  const command = event.ctrlKey || event.metaKey;
  const done = command ? withCommand(event) : event.altKey ? withAlt(event) : alone(event);
  if (done) event.preventDefault();
}

function withCommand({ key, shiftKey }: KeyboardEvent): boolean {
  const name = key.toLowerCase();
  if (name === "k" && !shiftKey) openPalette();
  else if (!nothingAbove()) return false;
  else if (name === "o" && shiftKey) goTo(undefined);
  else if (name === "s" && shiftKey) toggleSidebar();
  else if (name === "." && !shiftKey) return togglePanel();
  else if (name === "/" && !shiftKey)
    return click("[data-part=model-picker] button, button[data-part=model-picker]");
  else if (name === "p" && !shiftKey) return printAll();
  else return false;
  return true;
}

/** Searches, unless a dialog above the conversation has to be closed first: behind it, nobody would see the search. */
function openPalette(): void {
  if (view.getState().over === undefined) view.setState({ dialog: "palette" });
}

/** Prints the whole conversation: the page itself has only a part of a long one. What is being written is printed by the browser. */
function printAll(): boolean {
  const { sessionId, live } = conversation.getState();
  if (sessionId === undefined || live !== undefined) return false;
  view.setState({ over: { kind: "print", sessionId } });
  return true;
}

function togglePanel(): boolean {
  if (view.getState().artifact) closeArtifact();
  else [...document.querySelectorAll<HTMLElement>("[data-part=log] .artifact-card")].at(-1)?.click();
  return true;
}

/** Moves to the conversation above or below, unless something is being written. */
function withAlt({ key }: KeyboardEvent): boolean {
  const step = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (step === undefined || draft.getState().text !== "" || !nothingAbove()) return false;
  const ids = listedIds();
  const at = ids.indexOf(conversation.getState().sessionId ?? "");
  const next = ids[at === -1 ? (step === 1 ? 0 : -1) : at + step];
  if (next === undefined) return at !== -1;
  goTo(next);
  return true;
}

function alone(event: KeyboardEvent): boolean {
  const { key, target } = event;
  if (!nothingAbove()) return false;
  if (key === "Escape") {
    if (view.getState().drawer) view.setState({ drawer: false });
    else if (sessions.getState().selected.length > 0) sessions.setState({ selected: [] });
    else void stop();
    return false;
  }
  if (isField(target)) return false;
  if (key === "?") {
    view.setState({ dialog: "shortcuts" });
    return true;
  }
  return target instanceof Element && target.closest("[data-part=log]") ? inLog(event, target) : false;
}

/** Keys of the log: they work on the message that has the focus. */
function inLog({ key, shiftKey }: KeyboardEvent, target: Element): boolean {
  if (shiftKey) return false;
  const all = [...document.querySelectorAll<HTMLElement>("[data-part=log] article[data-message]")];
  const now = target.closest<HTMLElement>("article[data-message]");
  const at = now ? all.indexOf(now) : -1;
  const message = conversation
    .getState()
    .messages.find(({ id }) => id === (now ?? all.at(-1))?.dataset.message);
  switch (key.toLowerCase()) {
    case "j":
      return focus(all[Math.min(at + 1, all.length - 1)]);
    case "k":
      return focus(all[at === -1 ? all.length - 1 : Math.max(at - 1, 0)]);
    case "c":
      if (message) void attempt(() => copyText(message.content));
      return message !== undefined;
    case "r":
      if (message?.role === "assistant") void askAgain(message);
      return message?.role === "assistant";
    case "e":
      if (message?.role === "user") editMessage(message);
      return message?.role === "user";
    case "o":
      return click("[data-part=step] button, button[data-part=step]", now ?? all.at(-1));
  }
  return false;
}

function focus(article: HTMLElement | undefined): boolean {
  if (!article) return false;
  article.tabIndex = -1;
  article.focus();
  article.scrollIntoView({ block: "nearest" });
  return true;
}

function click(selector: string, within: ParentNode = document): boolean {
  const found = within.querySelector<HTMLElement>(selector);
  found?.click();
  return found !== null;
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, textarea, select, [role=textbox], [role=menuitem]"))
  );
}

/** Dialogs that load late are known before they are open. */
function nothingAbove(): boolean {
  const { dialog, settings, over } = view.getState();
  const isOpening = dialog !== undefined || settings !== undefined || over !== undefined;
  return !isOpening && openDialogs.getState().dialogs.length === 0;
}
