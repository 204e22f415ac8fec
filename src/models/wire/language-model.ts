import { Failure } from "../../protocol/failure.ts";
import type { EmitModelEvent, Model, ModelInfo, ModelRequest } from "../../protocol/model.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import { guardEvents, runStoppable } from "./answer.ts";
import { withChecks } from "./checked-answers.ts";
import { withContinuation } from "./continuation.ts";
import { languageModelFailure } from "./language-model/failure.ts";
import {
  type BareFile,
  bareFile,
  type CallOptions,
  encodeRequest,
  type TaggedFile,
  taggedFile,
} from "./language-model/prompt.ts";
import { readStream, type StreamReader } from "./language-model/stream.ts";
import { learnedBy } from "./learned.ts";
import { guardPaidRequest } from "./paid-requests.ts";
import { mapToolNames, prepareTools } from "./tools.ts";

/** The part of an AI SDK language model that we use. Specifications v2, v3 and v4 fit. */
export interface LanguageModel<Version extends string, File> {
  readonly specificationVersion: Version;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: CallOptions<File>): PromiseLike<{ stream: ReadableStream<unknown> }>;
}

export type AnyLanguageModel = LanguageModel<"v2" | "v3", BareFile> | LanguageModel<"v4", TaggedFile>;

/** Wraps an AI SDK language model. `info` adds what is known about it. */
export function fromLanguageModel(languageModel: AnyLanguageModel, info: Partial<ModelInfo> = {}): Model {
  const { specificationVersion, provider, modelId } = languageModel;
  if (!["v2", "v3", "v4"].includes(specificationVersion)) {
    throw new Failure(
      "INVALID_INPUT",
      `Language models of specification ${specificationVersion} are not supported. Use v2, v3 or v4.`,
    );
  }
  // The AI SDK appends the interface to the vendor: `openai.responses`.
  const vendor = provider.split(".", 1)[0] || provider;
  const id = `${vendor}/${modelId}`;
  const modelInfo = { name: modelId, ...info };
  const context: DialectContext = { model: modelInfo, modelId: id, quirks: {} };
  const ask = withChecks(
    (request, emit, signal) => {
      const prepared = prepareTools(request, "language-model", context);
      for (const warning of prepared.warnings) emit(warning);
      return stream(languageModel, model, prepared.request, prepared.restore(emit), signal);
    },
    ({ responseFormat: format }) => format && { format, hold: () => true },
  );
  const model: Model = {
    id,
    info: modelInfo,
    stream: withContinuation(ask, context, learnedBy(languageModel, id, "")),
  };
  return model;
}

async function stream(
  languageModel: AnyLanguageModel,
  model: Model,
  request: ModelRequest,
  emit: EmitModelEvent,
  signal: AbortSignal,
): Promise<void> {
  const context: DialectContext = { model: model.info, modelId: model.id, quirks: {} };
  const events = guardEvents(request.imageOutput ? guardPaidRequest(emit) : emit, model.info.price);
  const reader = readStream(events.emit, context, mapToolNames(request.tools));
  await runStoppable(signal, events.fail, (upstream) =>
    ask(languageModel, model, request, reader, upstream).catch((thrown: unknown) =>
      events.fail(languageModelFailure(thrown, context)),
    ),
  );
}

async function ask(
  languageModel: AnyLanguageModel,
  model: Model,
  request: ModelRequest,
  reader: StreamReader,
  signal: AbortSignal,
): Promise<void> {
  const { stream: parts } = await doStream(languageModel, model, request, signal);
  const source = parts.getReader();
  try {
    for (;;) {
      const { done, value } = signal.aborted ? { done: true } : await source.read();
      if (done) return reader.end();
      if (reader.part(value)) return;
    }
  } finally {
    // Frees the connection. Once the answer is complete, an error here does not matter.
    source.cancel(signal.reason).catch(() => undefined);
  }
}

function doStream(
  languageModel: AnyLanguageModel,
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): PromiseLike<{ stream: ReadableStream<unknown> }> {
  const names = mapToolNames(request.tools);
  if (languageModel.specificationVersion !== "v4") {
    return languageModel.doStream(encodeRequest(request, model, names, bareFile, signal));
  }
  const { reasoningEffort } = request;
  return languageModel.doStream({
    ...encodeRequest(request, model, names, taggedFile, signal),
    ...(reasoningEffort && { reasoning: reasoningEffort }),
  });
}
