import { readFileSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { isObject } from "../protocol/json.ts";
import { badSetting } from "./bad-setting.ts";

export const FILE_NAME = "tackle.config.json";

/** Reads the file of settings as texts, as variables are. Throws INVALID_INPUT. */
export function readSettingsFile(path: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT") return {};
    throw code === "ENOTDIR"
      ? badSetting("TACKLE_DATA", `${dirname(path)} is not a folder`)
      : badSetting(FILE_NAME, `${path} cannot be read (${code})`);
  }
  let parsed: unknown;
  try {
    // Editors of Windows put a mark in front.
    parsed = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (thrown) {
    // The message may repeat a part of the file, which has keys in it.
    const why = thrown instanceof Error ? thrown.message.replace(/, (?:\.{3})?".*/s, "") : "unknown";
    throw badSetting(FILE_NAME, `is not JSON: ${why}`);
  }
  if (!isObject(parsed)) throw badSetting(FILE_NAME, "must hold a JSON object of settings");
  return Object.fromEntries(
    Object.entries(parsed).flatMap(([name, value]) => {
      const written = settingText(name, value);
      return written === "" ? [] : [[name, written]];
    }),
  );
}

/** What JSON writes in other ways than a variable can: nothing, yes and no, and lists. */
function settingText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "1" : "0";
  if (Array.isArray(value) && value.every((one) => typeof one === "string"))
    return value.join(name === "TACKLE_ROOTS" ? delimiter : ",");
  return JSON.stringify(value);
}
