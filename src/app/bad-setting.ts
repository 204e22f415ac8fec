import { Failure } from "../protocol/failure.ts";

/** Returns the failure for a setting that is not valid, as one line that names it. */
export function badSetting(name: string, why: string): Failure {
  return new Failure("INVALID_INPUT", `${name}: ${why}.`);
}
