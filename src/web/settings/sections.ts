import type { ComponentType } from "react";
import type { Me } from "../state/server.ts";
import type { SettingsKey } from "../text/settings.ts";
import type { IconName } from "../ui/icons.tsx";
import { loadLater } from "../ui/load-later.ts";

export interface Section {
  /** Its name in the address, after `#/settings/`. */
  name: string;
  title: SettingsKey;
  /** One sentence below the title. */
  hint?: SettingsKey;
  icon: IconName;
  Page: ComponentType;
  /** Whether the person has it; everyone if it is not set. */
  isFor?(me: Me | undefined): boolean;
}

/** The sections of the settings, in order. Each page is loaded when it is opened. */
export const SECTIONS: readonly [Section, ...Section[]] = [
  {
    name: "general",
    title: "general",
    icon: "settings",
    Page: loadLater(async () => (await import("./general.tsx")).GeneralSettings),
  },
  {
    name: "keys",
    title: "modelsAndKeys",
    hint: "modelsAndKeysHint",
    icon: "key",
    Page: loadLater(async () => (await import("./models-and-keys.tsx")).ModelsAndKeysSettings),
  },
  {
    name: "tools",
    title: "tools",
    icon: "tools",
    Page: loadLater(async () => (await import("./tools.tsx")).ToolsSettings),
  },
  {
    name: "memory",
    title: "memory",
    hint: "memoryHint",
    icon: "memory",
    Page: loadLater(async () => (await import("./memory.tsx")).MemorySettings),
  },
  {
    name: "notifications",
    title: "notifications",
    icon: "bell",
    Page: loadLater(async () => (await import("./notifications.tsx")).NotificationSettings),
  },
  {
    name: "prompts",
    title: "prompts",
    icon: "edit",
    Page: loadLater(async () => (await import("./prompts.tsx")).PromptSettings),
  },
  {
    name: "data",
    title: "data",
    icon: "data",
    Page: loadLater(async () => (await import("./data.tsx")).DataSettings),
  },
  {
    name: "account",
    title: "account",
    icon: "person",
    isFor: (me) => me !== undefined && me.kind !== "owner",
    Page: loadLater(async () => (await import("./account.tsx")).AccountSettings),
  },
  {
    name: "usage",
    title: "usage",
    icon: "chart",
    Page: loadLater(async () => (await import("./usage.tsx")).UsageSettings),
  },
];
