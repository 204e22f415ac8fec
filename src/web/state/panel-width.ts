import { create } from "zustand";
import { preferences } from "./preferences.ts";
import { readStored, store } from "./storage.ts";

/** As in the style sheets: the sidebar, and the column with its gutters. */
const SIDEBAR = 264;
const COLUMN = 704;
/** Both sides keep this much. */
const LEAST = 400;
/** The panel opens by itself only if it gets this much. */
const COMFORTABLE = 440;
const WIDE = 1180;
const KEY = "tackle.panel";

interface PanelWidth {
  /** The width that the person chose on this device. */
  chosen?: number | undefined;
}

/** How wide the person wants the panel beside the conversation. */
export const panelWidth = create<PanelWidth>(() => {
  const stored = Number(readStored(KEY));
  return stored >= LEAST ? { chosen: stored } : {};
});

/** Keeps a width within what both sides need, and remembers it on this device. Without one, the panel takes what is free. */
export function choosePanelWidth(wanted: number | undefined): void {
  const chosen = wanted === undefined ? undefined : Math.round(clamped(wanted));
  panelWidth.setState({ chosen });
  store(KEY, chosen === undefined ? null : String(chosen));
}

/** Returns the narrowest, the widest and the usual width of the panel in this window. */
export function panelLimits(): { least: number; most: number; usual: number } {
  const most = Math.max(LEAST, roomBesideSidebar() - LEAST);
  return { least: LEAST, most, usual: clamped(Math.max(COMFORTABLE, roomBesideSidebar() - COLUMN)) };
}

/** Returns true if the panel fits beside the column as it is. */
export function hasRoom(): boolean {
  return innerWidth >= WIDE && roomBesideSidebar() - COLUMN >= COMFORTABLE;
}

function clamped(width: number): number {
  return Math.min(Math.max(LEAST, roomBesideSidebar() - LEAST), Math.max(LEAST, width));
}

function roomBesideSidebar(): number {
  return innerWidth - (preferences.getState().sidebarOpen ? SIDEBAR : 0);
}
