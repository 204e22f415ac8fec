import type { Principal } from "../protocol/principal.ts";
import type { ToolContext } from "../protocol/tool.ts";
import type { Config } from "./config.ts";
import { isSecretSetting } from "./secret-settings.ts";

const KEY_SUFFIX = "_API_KEY";

/** The settings that tools may read: plain values, and keys. The caller's own keys take precedence. */
export function toolSettings(
  { settings }: Pick<Config, "settings">,
  keysOf: (userId: string) => Promise<Readonly<Record<string, string>>>,
): (principal: Principal) => Required<Pick<ToolContext, "setting" | "secret">> {
  return ({ id }) => ({
    setting: (name) => (isSecretSetting(name) ? undefined : settings[name]),
    async secret(name) {
      if (!name.endsWith(KEY_SUFFIX)) return undefined;
      const vendor = name.slice(0, -KEY_SUFFIX.length).toLowerCase();
      const own = await keysOf(id);
      return Object.hasOwn(own, vendor) ? own[vendor] : settings[name];
    },
  });
}
