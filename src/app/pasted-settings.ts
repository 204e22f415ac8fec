import { badSetting } from "./bad-setting.ts";
import { SHARED_NAMES } from "./setting-names.ts";

type Settings = Record<string, string | undefined>;

/**
 * Removes the blanks, line ends and quotes around keys and addresses: files of secrets end with a line end, and some
 * programs read the quotes of a file of variables as part of the value. Throws for a key that no vendor can have given.
 */
export function cleanPasted(settings: Settings): Settings {
  const cleaned = { ...settings };
  for (const name of SHARED_NAMES) {
    const value = settings[name]?.trim();
    if (value === undefined) continue;
    const plain = /^(["'])(.*)\1$/s.exec(value)?.[2]?.trim() ?? value;
    if (name.endsWith("_API_KEY") && /[^\x21-\x7e]/.test(plain))
      throw badSetting(name, "has a blank or another character that no key has; copy the key again");
    cleaned[name] = plain === "" ? undefined : plain;
  }
  return cleaned;
}
