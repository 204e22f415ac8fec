import { cleanFailure } from "../guard/errors.ts";
import { prepareToScan } from "../guard/injection/scan.ts";
import { boundsExceeded } from "../http/json-shape.ts";
import type { Tackle } from "./tackle.ts";

const NOBODY = ["rehearsal-from", "rehearsal-to"] as const;

/**
 * Does what a stranger's request may be the first to need: patterns are compiled, formats loaded and statements planned on
 * first use, which takes longer than any request may. Changes nothing.
 */
export async function rehearse({ store }: Pick<Tackle, "store">): Promise<void> {
  await prepareToScan();
  cleanFailure(boundsExceeded("values", 1_000));
  await store.adoptUser(...NOBODY);
}
