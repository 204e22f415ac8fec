import { expect, it } from "vitest";
import { redact, redactSecrets } from "./redact.ts";
import { contextLeaks } from "./testing/contexts.ts";
import { vendorSecrets } from "./testing/formats.ts";
import { HARMLESS } from "./testing/harmless.ts";
import { harmlessByKind } from "./testing/harmless-kinds.ts";
import { harmlessTexts } from "./testing/harmless-made.ts";
import { madeUp } from "./testing/made-up.ts";
import { impersonalTexts, personalTexts } from "./testing/people.ts";
import { inContext, type Leak, otherKeys, ownKeys } from "./testing/secrets.ts";
import { SPELLINGS } from "./testing/spellings.ts";

const SEED = 7;

/** Secrets are generated, so that none is in the repository. A secret that remains is shown as `<leaked>`. */
function recordOf(leaks: readonly Leak[], clean: (text: string) => string): string {
  return leaks.map(([text, secret]) => clean(text).replaceAll(secret, "<leaked>")).join("\n---\n");
}

/** Each text once, in one of the spellings after the other. */
function spelledSecrets(): Leak[] {
  const spellings = Object.values(SPELLINGS);
  return vendorSecrets(SEED).flatMap(([vendor, secret], at) => {
    const spelling = spellings[at % spellings.length];
    return spelling ? [[spelling(vendor, secret), secret] as const] : [];
  });
}

it("redacts secrets of vendors as recorded", async () => {
  const keys = [...ownKeys(madeUp(SEED)), ...otherKeys(madeUp(SEED))].map(
    (key): Leak => [`with ${key} in it`, key],
  );
  await expect(recordOf([...spelledSecrets(), ...keys], redact)).toMatchFileSnapshot(
    "testing/recorded/vendors.txt",
  );
});

it("redacts secrets that their context reveals as recorded", async () => {
  const leaks = [...inContext(madeUp(SEED)), ...contextLeaks(SEED)];
  await expect(recordOf(leaks, redactSecrets)).toMatchFileSnapshot("testing/recorded/contexts.txt");
});

it("redacts personal data as recorded", async () => {
  const people = personalTexts(SEED).filter((_, at) => at % 2 === 0);
  await expect(recordOf(people, redact)).toMatchFileSnapshot("testing/recorded/people.txt");
});

it("leaves generated harmless texts alone", () => {
  const kinds = harmlessByKind(SEED).map(([, text]) => text);
  const texts = [...HARMLESS, ...harmlessTexts(SEED), ...kinds, ...impersonalTexts(SEED)];
  expect(texts.filter((text) => redact(text) !== text)).toEqual([]);
});
