import { FAILURE_STATUS, type FailureCode } from "../../protocol/failure.ts";
import { labelOf } from "../chat/problem-words.ts";
import { spelledOut } from "../chat/step-words.ts";
import { toolName } from "../choosing/tool-names.ts";
import { t } from "../text/administration.ts";

/** Says in a sentence what an error of this code was. */
export function wordsOfCode(code: string): string {
  if (!isFailureCode(code)) return t("error_other");
  if (code === "INTERNAL") return t("oursTitle");
  if (code === "API_THROTTLED") return t("throttledNow");
  return t(`error_${code}`);
}

function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(FAILURE_STATUS, code);
}

/** Returns the name of a model or tool, without what we call it inside. `source` is the place of an error or a breaker. */
export function serviceName(source: string): string {
  const [kind = "", ...rest] = source.split(":");
  const name = rest.join(":");
  if (kind === "model") return labelOf(name.replace(/:chat$/, ""));
  if (kind === "tool") return toolName(name);
  return kind === "route" ? t("onServer") : spelledOut(name === "" ? kind : name);
}
