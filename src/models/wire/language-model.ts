import { Failure } from "../../protocol/failure.ts";
import type { DialectContext, EmitModelEvent, Model, ModelInfo, ModelRequest } from "../../protocol/model.ts";
import { priced } from "./answer.ts";
import { languageModelFailure } from "./language-model/failure.ts";
import {
  type BareFile,
  bareFile,
  type CallOptions,
  lowerRequest,
  type TaggedFile,
  taggedFile,
} from "./language-model/prompt.ts";
import { readStream, type StreamReader } from "./language-model/stream.ts";
import { mapToolNames } from "./names.ts";

/** A language model of the AI SDK, as far as we use it: any of specification v2, v3 or v4 fits. */
export interface LanguageModel<Version extends string, File> {
  readonly specificationVersion: Version;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: CallOptions<File>): PromiseLike<{ stream: ReadableStream<unknown> }>;
}

export type AnyLanguageModel = LanguageModel<"v2" | "v3", BareFile> | LanguageModel<"v4", TaggedFile>;

/** Makes any AI SDK language model a model that can be asked; `info` says what is known of it. */
export function fromLanguageModel(languageModel: AnyLanguageModel, info: Partial<ModelInfo> = {}): Model {
  const { specificationVersion, provider, modelId } = languageModel;
  if (!["v2", "v3", "v4"].includes(specificationVersion)) {
    throw new Failure(
      "INVALID_INPUT",
      `A language model of specification ${specificationVersion} cannot be used; v2, v3 and v4 can.`,
    );
  }
  // The AI SDK adds the interface to the vendor: `openai.responses`.
  const vendor = provider.split(".", 1)[0] || provider;
  const model: Model = {
    id: `${vendor}/${modelId}`,
    info: { name: modelId, ...info },
    stream: (request, emit, signal) => stream(languageModel, model, request, emit, signal),
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
  const { price } = model.info;
  const upstream = new AbortController();
  const stopped = Promise.withResolvers<void>();
  let over = false;

  function pass(event: Parameters<EmitModelEvent>[0]): void {
    if (over) return;
    if (event.type === "finish" || event.type === "failure") over = true;
    emit(price && event.type === "usage" ? { type: "usage", usage: priced(event.usage, price) } : event);
  }
  function fail(failure: Failure): void {
    pass({ type: "failure", failure });
  }
  function cancel(): void {
    fail(new Failure("CANCELLED", "It was stopped before it finished.", { retryable: false }));
    upstream.abort(signal.reason);
    stopped.resolve();
  }

  if (signal.aborted) {
    cancel();
    return;
  }
  signal.addEventListener("abort", cancel, { once: true });
  const names = mapToolNames(request.tools);
  const asked = ask(languageModel, model, request, readStream(pass, context, names), upstream.signal).catch(
    (thrown: unknown) => fail(languageModelFailure(thrown, context)),
  );
  // A model that does not heed its signal is not waited for.
  await Promise.race([asked, stopped.promise]);
  signal.removeEventListener("abort", cancel);
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
    // Frees the connection; what becomes of it is no failure once the answer is over.
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
    return languageModel.doStream(lowerRequest(request, model, names, bareFile, signal));
  }
  const { reasoningEffort } = request;
  return languageModel.doStream({
    ...lowerRequest(request, model, names, taggedFile, signal),
    ...(reasoningEffort && { reasoning: reasoningEffort }),
  });
}
