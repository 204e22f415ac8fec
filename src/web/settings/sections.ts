import { type ComponentType, lazy } from "react";
import type { Me } from "../state/server.ts";
import type { SettingsKey } from "../text/settings.ts";
import type { IconName } from "../ui/icons.tsx";

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
    Page: lazy(async () => ({ default: (await import("./general.tsx")).GeneralSettings })),
  },
  {
    name: "keys",
    title: "modelsAndKeys",
    hint: "modelsAndKeysHint",
    icon: "key",
    Page: lazy(async () => ({ default: (await import("./models-and-keys.tsx")).ModelsAndKeysSettings })),
  },
  {
    name: "tools",
    title: "tools",
    icon: "tools",
    Page: lazy(async () => ({ default: (await import("./tools.tsx")).ToolsSettings })),
  },
  {
    name: "memory",
    title: "memory",
    hint: "memoryHint",
    icon: "memory",
    Page: lazy(async () => ({ default: (await import("./memory.tsx")).MemorySettings })),
  },
  {
    name: "notifications",
    title: "notifications",
    icon: "bell",
    Page: lazy(async () => ({ default: (await import("./notifications.tsx")).NotificationSettings })),
  },
  {
    name: "prompts",
    title: "prompts",
    icon: "edit",
    Page: lazy(async () => ({ default: (await import("./prompts.tsx")).PromptSettings })),
  },
  {
    name: "data",
    title: "data",
    icon: "data",
    Page: lazy(async () => ({ default: (await import("./data.tsx")).DataSettings })),
  },
  {
    name: "account",
    title: "account",
    icon: "person",
    isFor: (me) => me !== undefined && me.kind !== "owner",
    Page: lazy(async () => ({ default: (await import("./account.tsx")).AccountSettings })),
  },
  {
    name: "usage",
    title: "usage",
    icon: "chart",
    Page: lazy(async () => ({ default: (await import("./usage.tsx")).UsageSettings })),
  },
];
