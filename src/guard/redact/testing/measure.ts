import { redact } from "../redact.ts";
import { contextLeaks } from "./contexts.ts";
import { vendorSecrets } from "./formats.ts";
import { HARMLESS } from "./harmless.ts";
import { harmlessByKind } from "./harmless-kinds.ts";
import { harmlessTexts } from "./harmless-made.ts";
import { madeUp } from "./made-up.ts";
import { impersonalTexts, personalTexts } from "./people.ts";
import { inContext, type Leak, otherKeys, ownKeys } from "./secrets.ts";
import { SPELLINGS } from "./spellings.ts";

/** How many texts of a kind were tried, and those that came out wrong. */
export interface Measured {
  tried: number;
  wrong: readonly string[];
}

/** What the fifth layer finds and leaves, over texts that are made for every seed. */
export function measureRedaction(seeds: readonly number[]) {
  return {
    /** Keys of the providers that this product talks to, in every spelling. */
    ownKeys: leaking(
      seeds.flatMap((seed) =>
        ownKeys(madeUp(seed)).flatMap((key) => spelled("provider", key).concat([[key, key]])),
      ),
    ),
    /** Secrets of every vendor in every spelling, and that only their context reveals. */
    secrets: leaking(
      seeds.flatMap((seed) => [
        ...vendorSecrets(seed).flatMap(([vendor, secret]) => spelled(vendor, secret)),
        ...otherKeys(madeUp(seed)).map((key): Leak => [`The call failed with ${key} in it.`, key]),
        ...inContext(madeUp(seed)),
        ...contextLeaks(seed),
      ]),
    ),
    harmless: changed([
      ...HARMLESS,
      ...seeds.flatMap(harmlessTexts),
      ...seeds.flatMap((seed) => harmlessByKind(seed).map(([, text]) => text)),
    ]),
    personal: leaking(seeds.flatMap(personalTexts)),
    impersonal: changed(seeds.flatMap(impersonalTexts)),
  };
}

/** The share of the wrong ones, between 0 and 1. */
export function share({ tried, wrong }: Measured): number {
  return wrong.length / tried;
}

function spelled(vendor: string, secret: string): Leak[] {
  return Object.values(SPELLINGS).map((spelling) => [spelling(vendor, secret), secret]);
}

function leaking(leaks: readonly Leak[]): Measured {
  return {
    tried: leaks.length,
    wrong: leaks.filter(([text, secret]) => redact(text).includes(secret)).map(([text]) => text),
  };
}

function changed(texts: readonly string[]): Measured {
  return { tried: texts.length, wrong: texts.filter((text) => redact(text) !== text) };
}
