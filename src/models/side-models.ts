import { backoffMs, waitFor } from "../protocol/abortable.ts";
import type { ModelCatalogue, VendorKeys } from "../protocol/catalogue.ts";
import { Failure, toFailure } from "../protocol/failure.ts";
import { textMessage, textOf } from "../protocol/messages.ts";
import {
  Attempts,
  addUsage,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type Usage,
} from "../protocol/model.ts";
import type { ModelAnswer, ModelQuestion, ModelRole, Spending } from "../protocol/model-question.ts";
import type { Principal } from "../protocol/principal.ts";

/** The setting that names the model for each role, and if its vendor is set up, the default and its successors. */
const SIDE_MODELS: Readonly<
  Record<ModelRole, { setting: string; vendor: string; names: readonly string[]; mayBeOff?: true }>
> = {
  artifact: { setting: "TACKLE_ARTIFACT_MODEL", vendor: "zai", names: ["glm-4.6", "glm-4.7"] },
  rewrite: { setting: "TACKLE_REWRITE_MODEL", vendor: "zai", names: ["glm-4.5-air", "glm-5.3-flash"] },
  // Without a setting, the model that rewrites.
  title: { setting: "TACKLE_TITLE_MODEL", vendor: "", names: [], mayBeOff: true },
  image: {
    setting: "TACKLE_IMAGE_MODEL",
    vendor: "openrouter",
    names: ["google/gemini-2.5-flash-image", "google/gemini-3.1-flash-image"],
  },
  compact: { setting: "TACKLE_COMPACT_MODEL", vendor: "", names: [], mayBeOff: true },
};

const OFF = "off";
const MAX_RETRIES = 2;
const BACKOFF = { firstMs: 400 };
/** A tool cannot wait long. If the vendor asks for a longer wait, the call fails instead. */
const MAX_RETRY_AFTER_SECONDS = 5;

interface Sanitizer {
  clean(text: string): string;
  restore(text: string): string;
}

export interface SideModelOptions {
  settings: Readonly<Record<string, string | undefined>>;
  models: ModelCatalogue;
  keysOf(userId: string): Promise<VendorKeys>;
  /** Creates what makes the texts of one question safe, and puts their signs back in the answer. */
  sanitizer(): Sanitizer;
  /** Wraps a model so that each request to it is traced. */
  trace?: ((model: Model) => Model) | undefined;
}

/** Lets tools ask models: the one for the role if it is set up, otherwise the chat's model. */
export function createSideModels(options: SideModelOptions) {
  for (const { setting, mayBeOff } of Object.values(SIDE_MODELS)) {
    const named = options.settings[setting];
    if (mayBeOff && named === OFF) continue;
    if (named !== undefined && !/^[^/\s]+\/\S+$/.test(named))
      throw new Failure("INVALID_INPUT", `${setting}: must be provider/model, for example zai/glm-4.6.`);
  }
  const askFor = (
    principal: Principal,
    chatModel?: string,
    spending: Spending = { usage: { inputTokens: 0, outputTokens: 0 } },
  ) => {
    return async (question: ModelQuestion): Promise<ModelAnswer> => {
      const keys = await options.keysOf(principal.id);
      const chosen = chooseModel(options, question.role, keys, chatModel);
      const sanitizer = options.sanitizer();
      const attempts = new Attempts(question.role, principal.id);
      const request = { ...requestFor(question, sanitizer), attempts };
      try {
        return await ask(options.trace?.(chosen) ?? chosen, request, question, spending, sanitizer);
      } catch (thrown) {
        throw thrown instanceof Failure ? thrown.withDetails({ upstream: chosen.id }) : thrown;
      } finally {
        await attempts.end();
      }
    };
  };
  return {
    /** Returns which model this person's calls ask in each role. Undefined for one that is not set up. */
    async namesFor(principal: Principal): Promise<(role: ModelRole) => string | undefined> {
      const keys = await options.keysOf(principal.id);
      return (role) => {
        if (role === "rewrite" && options.settings.TACKLE_REWRITE === "0") return undefined;
        try {
          return chooseModel(options, role, keys, undefined).id;
        } catch (thrown) {
          if (thrown instanceof Failure) return undefined;
          throw thrown;
        }
      };
    },
    /** Returns the `askModel` of a call. `chatModel` is the run's model, if any. Each answer adds to `spending`. */
    askFor,
    /** Returns who writes the summaries of this person's sessions. Undefined if they are switched off. */
    summarizer(principal: Principal, chatModel: string) {
      const named = options.settings[SIDE_MODELS.compact.setting];
      if (named === OFF) return undefined;
      const ask = askFor(principal, chatModel);
      return {
        ask: (
          question: Pick<ModelQuestion, "system" | "prompt" | "maxOutputTokens">,
          signal: AbortSignal,
        ): Promise<ModelAnswer> => ask({ ...question, role: "compact", reasoningEffort: "low", signal }),
        isChatModel: named === undefined || named === chatModel,
      };
    },
  };
}

function chooseModel(
  { settings, models }: Pick<SideModelOptions, "settings" | "models">,
  role: ModelRole,
  keys: VendorKeys,
  chatModel: string | undefined,
): Model {
  const { setting, vendor, names } = SIDE_MODELS[role];
  const named = settings[setting];
  if (named === OFF) throw new Failure("NOT_FOUND", `${setting} is off.`);
  if (role === "title" && named === undefined)
    return chooseModel({ settings, models }, "rewrite", keys, chatModel);
  if (named !== undefined) return models.resolve(named, keys);
  const makesImages = role === "image";
  // Most chat models make no images, so any model that does is a better choice.
  const other = () => (makesImages ? models.imageModel(keys) : undefined) ?? chatModel;
  return models.resolve(models.offeredOf(vendor, names, makesImages, keys) ?? other(), keys);
}

/** All text for a side model passes here, so nothing in it can speak in another role. */
function requestFor(question: ModelQuestion, { clean }: Sanitizer): ModelRequest {
  const { role, system, prompt, messages, maxOutputTokens, temperature, reasoningEffort } = question;
  const { aspectRatio } = question;
  const asked = messages ?? [textMessage("question", "user", prompt ?? "")];
  return {
    system: clean(system),
    messages: asked.map((message) => ({ ...message, parts: withTexts(message.parts, clean) })),
    tools: [],
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(role === "image" ? { imageOutput: true } : {}),
    ...(aspectRatio === undefined ? {} : { aspectRatio }),
  };
}

function withTexts<Part extends { type: string }>(
  parts: readonly Part[],
  change: (text: string) => string,
): Part[] {
  return parts.map((part) =>
    "text" in part && typeof part.text === "string" ? { ...part, text: change(part.text) } : part,
  );
}

async function ask(
  model: Model,
  request: ModelRequest,
  question: ModelQuestion,
  spending: Spending,
  { restore }: Sanitizer,
): Promise<ModelAnswer> {
  const { signal } = question;
  for (let retry = 0; ; retry++) {
    if (retry > 0) countRetry(spending, 1);
    const { seen, usage, end } = await readAnswer(model, request, question, restore);
    spending.model = model.id;
    addUsage(spending.usage, usage);
    if (end?.type === "finish") {
      const cut = end.reason === "length";
      if (end.reason === "content_filter")
        throw new Failure("UPSTREAM_ERROR", "The model refused to answer this request.", {
          retryable: false,
        });
      const parts = withTexts(end.parts, restore);
      return { text: textOf({ parts }), parts, usage, model: model.id, cut };
    }
    const failure = end?.failure ?? new Failure("UPSTREAM_ERROR", "The model's answer broke off.");
    // The breaker refused it, so no request was made.
    if (retry > 0 && failure.code === "BREAKER_OPEN") countRetry(spending, -1);
    if (signal.aborted || seen || retry >= MAX_RETRIES || !worthRetrying(failure)) throw failure;
    const waitMs = backoffMs(retry + 1, BACKOFF, failure.retryAfter);
    await waitFor(waitMs, signal).catch(() => Promise.reject(failure));
  }
}

function countRetry(spending: Spending, by: 1 | -1): void {
  spending.retryCount = (spending.retryCount ?? 0) + by;
}

function worthRetrying({ retryable, code, retryAfter }: Failure): boolean {
  return retryable && code !== "BREAKER_OPEN" && (retryAfter ?? 0) <= MAX_RETRY_AFTER_SECONDS;
}

interface ReadAnswer {
  /** True once part of the answer was passed on. Such a request cannot be retried unnoticed. */
  seen: boolean;
  usage: Usage;
  /** Missing if the stream ended without one. */
  end?: Extract<ModelEvent, { type: "finish" | "failure" }>;
}

async function readAnswer(
  model: Model,
  request: ModelRequest,
  question: ModelQuestion,
  restore: Sanitizer["restore"],
): Promise<ReadAnswer> {
  const answer: ReadAnswer = {
    seen: false,
    usage: { inputTokens: 0, outputTokens: 0 },
  };
  const take = (event: ModelEvent) => {
    if (event.type === "usage") answer.usage = event.usage;
    else if (event.type === "text_delta" || event.type === "reasoning_delta") {
      if (event.text === "") return;
      answer.seen = true;
      if (event.type === "text_delta") question.onText?.(restore(event.text));
      else question.onReasoning?.(restore(event.text));
    } else if (event.type !== "warning") answer.end = event; // A tool's caller has no use for warnings about its model.
  };
  try {
    await model.stream(request, take, question.signal);
  } catch (thrown) {
    answer.end = { type: "failure", failure: toFailure(thrown) };
  }
  return answer;
}
