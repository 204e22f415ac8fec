import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Capture, startCapture } from "../bench/vendors/capture.ts";
import { DOCUMENTED, documentOf, hasDocuments } from "../bench/vendors/documents.ts";
import { ERROR_BODIES, isUnderstood } from "../bench/vendors/error-bodies.ts";
import { VENDORS } from "../bench/vendors/models.ts";
import { SCENARIOS } from "../bench/vendors/scenarios.ts";
import { sampled } from "./support/long.ts";

/** A part of `npm run bench -- vendors`: every scenario at the newest model of every vendor, and some at one that is older. */
const MODELS = VENDORS.map((vendor) => ({
  vendor,
  models: [...new Set([vendor.models[0] ?? "", vendor.models.at(-1) ?? ""])],
}));

let capture: Capture;
beforeAll(async () => {
  const documents = hasDocuments();
  if (!documents && process.env.CI) throw new Error("The API documents are missing: ../shared/corpus/specs");
  if (!documents)
    console.log("Skipped the check by the vendors' API documents: none in ../shared/corpus/specs");
  capture = await startCapture({ documents });
});
afterAll(() => capture.close());

describe("every request that we build", () => {
  it.each(MODELS)("is accepted by $vendor.id", async ({ vendor, models }) => {
    const found: string[] = [];
    for (const [at, model] of models.entries())
      for (const scenario of at === 0 ? SCENARIOS : sampled(SCENARIOS, 3))
        for (const { findings } of await capture.ask(vendor, model, scenario))
          for (const { rule, message } of findings)
            found.push(`${model}, ${scenario.group}: ${scenario.name}: ${rule}: ${message.slice(0, 200)}`);
    expect(found).toEqual([]);
  });
});

describe("every vendor", () => {
  it.each(VENDORS)("$id has a default model that it still serves", (vendor) => {
    expect(vendor.models.map((name) => `${vendor.id}/${name}`)).toContain(capture.defaultOf(vendor));
  });

  it.each(ERROR_BODIES)("$vendor: $status is understood as $meaning", async (error) => {
    const failure = await capture.fail(error);
    expect(failure && isUnderstood(error, failure), failure?.publicMessage).toBe(true);
  });
});

describe.skipIf(!hasDocuments())("the published API documents", () => {
  const messages = [{ role: "user", content: "Hello" }];

  it.each(DOCUMENTED)("of %s take a plain request and refuse a broken one", (vendor) => {
    const validate = documentOf(vendor, "/v1/chat/completions");
    expect(validate?.({ model: "any", messages })).toBeUndefined();
    expect(validate?.({ model: "any", messages: [{ role: "nobody", content: "Hello" }] })).toContain(
      "/messages/0",
    );
  });
});
