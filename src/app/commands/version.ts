import { say } from "../../terminal/output.ts";
import { productVersion } from "../product-version.ts";

/** Prints the version. */
export async function run(): Promise<number> {
  say([productVersion()]);
  return 0;
}
