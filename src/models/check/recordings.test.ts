import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Dialect, mergeInfo, type Provider } from "../../protocol/provider.ts";
import { findProblems, type Vendor } from "../../sim/testing/rules/find-problems.ts";
import { DIALECTS } from "../wire/dialects.ts";
import { replay, replayWhole } from "../wire/testing/replay.ts";
import { type CheckRecording, checkRecording } from "./record.ts";

/** Recordings that people made with `tackle models check --record`, and some of our stand-ins. */
const folder = new URL("../../../test/recordings/", import.meta.url);
const exchanges = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .flatMap((file) => {
    const recording = checkRecording.parse(JSON.parse(readFileSync(new URL(file, folder), "utf8")));
    return recording.exchanges.map((exchange, index) => ({ file, index, ...exchange }));
  });

type Exchange = CheckRecording["exchanges"][number];

async function contextOf({ model, dialect }: Exchange) {
  const [id = ""] = model.split("/", 1);
  const name = model.slice(id.length + 1);
  const { default: provider } = (await import(`../providers/${id}.ts`)) as { default: Provider };
  const known = provider.models.find((one) => one.name === name);
  const info = { ...mergeInfo(provider.unknownModel, provider.family?.(name), known), name };
  const { quirks } = provider.dialect === dialect || !provider.otherwise ? provider : provider.otherwise;
  return { model: info, modelId: model, quirks: { ...quirks, ...info.quirks }, label: provider.label };
}

function bytesOf({ response: { text, base64 } }: Exchange): Buffer {
  return text === undefined ? Buffer.from(base64 ?? "", "base64") : Buffer.from(text);
}

function dialectOf(exchange: Exchange): Dialect {
  const dialect = DIALECTS[exchange.dialect];
  if (!dialect) throw new Error(`There is no dialect ${exchange.dialect}.`);
  return dialect;
}

test("there are recordings", () => {
  expect(exchanges.length).toBeGreaterThan(10);
});

const accepted = exchanges.filter(({ response }) => response.status === 200);
const refused = exchanges.filter(({ response }) => response.status !== 200);
const answered = accepted.filter(({ answer }) => answer !== undefined);

describe("a recorded exchange", () => {
  test.each(accepted)(
    "$file $index: the request for $check of $model keeps the vendor's rules",
    ({ model, request }) => {
      const [id = ""] = model.split("/", 1);
      const vendor = (id === "demo" || id === "openai-compatible" ? "compatible" : id) as Vendor;
      const headers = {
        "anthropic-version": "2023-06-01",
        "x-api-key": "key",
        "content-type": "application/json",
      };
      const found = findProblems(vendor, { path: request.path, headers, body: request.body });
      expect(found.filter(({ misread }) => !misread)).toEqual([]);
    },
  );

  test.each(answered)(
    "$file $index: the answer to $check of $model is read the same in packets of any size",
    async (exchange) => {
      const { response, answer } = exchange;
      const dialect = dialectOf(exchange);
      const context = await contextOf(exchange);
      const bytes = bytesOf(exchange);
      const isWhole =
        /^application\/json/.test(response.headers["content-type"] ?? "") && !dialect.sendsLines;
      const read = [1, 7, 4096].map((size) =>
        isWhole
          ? replayWhole(dialect, JSON.parse(bytes.toString()), context)
          : replay(dialect, bytes, size, context),
      );
      for (const { text, calls, failure } of read) {
        expect(failure).toBeUndefined();
        expect(text).toBe(answer?.text);
        expect(calls.map(({ name, arguments: json }) => ({ name, arguments: json }))).toEqual(answer?.calls);
      }
    },
  );

  test("an error is understood", async () => {
    for (const exchange of refused) {
      const body = bytesOf(exchange).toString();
      const failure = dialectOf(exchange).failure(exchange.response, body, await contextOf(exchange));
      expect(failure.publicMessage).not.toContain("could not be read");
    }
  });
});
