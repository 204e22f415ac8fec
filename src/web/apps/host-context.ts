import { language } from "../text/translate.ts";

/** Our colors and fonts under the names that apps know. */
const VARIABLES: Record<string, string> = {
  "--color-background-primary": "--ground",
  "--color-background-secondary": "--raised",
  "--color-background-tertiary": "--sunken",
  "--color-background-inverse": "--ink",
  "--color-background-info": "--accent-soft",
  "--color-background-danger": "--danger-soft",
  "--color-background-success": "--added",
  "--color-background-warning": "--warn-soft",
  "--color-background-disabled": "--sunken",
  "--color-text-primary": "--ink",
  "--color-text-secondary": "--ink-soft",
  "--color-text-tertiary": "--ink-soft",
  "--color-text-inverse": "--ground",
  "--color-text-info": "--accent",
  "--color-text-danger": "--danger",
  "--color-text-success": "--good",
  "--color-text-warning": "--warn",
  "--color-text-disabled": "--line-strong",
  "--color-border-primary": "--line",
  "--color-border-secondary": "--line-strong",
  "--color-border-tertiary": "--line",
  "--color-border-info": "--accent",
  "--color-border-danger": "--danger",
  "--color-border-success": "--good",
  "--color-border-warning": "--warn",
  "--color-ring-primary": "--accent",
  "--color-ring-danger": "--danger",
  "--font-sans": "--font",
  "--font-mono": "--mono",
  "--border-radius-md": "--radius",
};

/** Returns our looks as apps can use them. */
export function hostStyles(): { variables: Record<string, string> } {
  const own = getComputedStyle(document.documentElement);
  const variables = Object.entries(VARIABLES).map(([name, ours]) => [
    name,
    own.getPropertyValue(ours).trim(),
  ]);
  return { variables: Object.fromEntries(variables) };
}

/** Returns the person's language, time zone and device. */
export function deviceContext(): Record<string, unknown> {
  return {
    locale: language(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    userAgent: "Tackle",
    platform: "web",
    deviceCapabilities: {
      touch: matchMedia("(pointer: coarse)").matches,
      hover: matchMedia("(hover: hover)").matches,
    },
  };
}
