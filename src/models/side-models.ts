import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "../app/config.ts";
import { tracedModel } from "../observe/trace/traced-model.ts";
import type { Tracer } from "../observe/trace/tracer.ts";
import { Failure, toFailure } from "../protocol/failure.ts";
import { textMessage, textOf } from "../protocol/messages.ts";
import { addUsage, type Model, type ModelEvent, type ModelRequest, type Usage } from "../protocol/model.ts";
import type { Principal } from "../protocol/principal.ts";
import type { ModelAnswer, ModelQuestion, ModelRole, Spending } from "../protocol/tool.ts";
import type { ModelCatalogue, VendorKeys } from "./catalogue.ts";

/** Which setting names the model for a piece of work, and which one is meant where nothing is said. */
const SUB_MODELS: Readonly<Record<ModelRole, { setting: string; usual: string }>> = {
  artifact: { setting: "TACKLE_ARTIFACT_MODEL", usual: "zai/glm-4.6" },
  rewrite: { setting: "TACKLE_REWRITE_MODEL", usual: "zai/glm-4.5-air" },
  image: { setting: "TACKLE_IMAGE_MODEL", usual: "openrouter/google/gemini-2.5-flash-image" },
};

const MAX_RETRIES = 2;
const BASE_RETRY_MS = 300;
/** A tool has little time: a longer wait is told to who called it. */
const LONGEST_RETRY_SECONDS = 5;

export interface SubModelParts {
  config: Pick<Config, "settings">;
  models: ModelCatalogue;
  keysOf(userId: string): Promise<VendorKeys>;
  /** Spans of the questions, below the call that asks. */
  tracer?: Tracer | undefined;
}

/** Lets tools ask models: the specialised one where it is set up, else the model of the conversation. */
export function createSubModels(parts: SubModelParts) {
  for (const { setting } of Object.values(SUB_MODELS)) {
    const named = parts.config.settings[setting];
    if (named !== undefined && !/^[^/\s]+\/\S+$/.test(named))
      throw new Failure("INVALID_INPUT", `${setting}: must be provider/model, for example zai/glm-4.6.`);
  }
  return {
    /** The `askModel` of a call; `chatModel` is the model of its run, where it has one; `spending` grows with each answer. */
    askFor(
      principal: Principal,
      chatModel?: string,
      spending: Spending = { usage: { inputTokens: 0, outputTokens: 0 } },
    ): (question: ModelQuestion) => Promise<ModelAnswer> {
      return async (question) => {
        const keys = await parts.keysOf(principal.id);
        const chosen = chooseModel(parts, question.role, keys, chatModel);
        const { tracer } = parts;
        const model = tracer ? tracedModel(tracer, chosen, tracer.place()) : chosen;
        return ask(model, requestFor(question), question, spending);
      };
    },
  };
}

function chooseModel(
  { config, models }: SubModelParts,
  role: ModelRole,
  keys: VendorKeys,
  chatModel: string | undefined,
): Model {
  const { setting, usual } = SUB_MODELS[role];
  const named = config.settings[setting];
  if (named !== undefined) return models.resolve(named, keys);
  const vendor = usual.slice(0, usual.indexOf("/"));
  const isSetUp =
    Object.hasOwn(keys, vendor) || models.connected().some(({ provider }) => provider.id === vendor);
  if (isSetUp) return models.resolve(usual, keys);
  return models.resolve((role === "image" ? imageMaker(models, keys) : undefined) ?? chatModel, keys);
}

/** Most models make no images: any that does is better than the one of the conversation. */
function imageMaker(models: ModelCatalogue, keys: VendorKeys): string | undefined {
  const own = models.known().filter(({ id }) => Object.hasOwn(keys, id));
  for (const { id, models: offered } of [...own, ...models.connected().map(({ provider }) => provider)]) {
    const maker = offered.find(({ outputsImages }) => outputsImages);
    if (maker) return `${id}/${maker.name}`;
  }
  return undefined;
}

function requestFor(question: ModelQuestion): ModelRequest {
  const { role, system, prompt, messages, maxOutputTokens, temperature, reasoningEffort } = question;
  const { aspectRatio } = question;
  return {
    system,
    messages: messages ?? [textMessage("question", "user", prompt ?? "")],
    tools: [],
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(role === "image" ? { imageOutput: true } : {}),
    ...(aspectRatio === undefined ? {} : { aspectRatio }),
  };
}

async function ask(
  model: Model,
  request: ModelRequest,
  question: ModelQuestion,
  spending: Spending,
): Promise<ModelAnswer> {
  const { signal } = question;
  for (let retryCount = 0; ; retryCount++) {
    const { seen, usage, end } = await listen(model, request, question);
    spending.model = model.id;
    addUsage(spending.usage, usage);
    if (end.type === "finish") {
      const cut = end.reason === "length";
      if (end.reason === "content_filter")
        throw new Failure("UPSTREAM_ERROR", "The model refused to answer this request.", {
          retryable: false,
        });
      return { text: textOf(end), parts: end.parts, usage, model: model.id, retryCount, cut };
    }
    const { failure } = end;
    if (signal.aborted || seen || retryCount >= MAX_RETRIES || !mayPass(failure)) throw failure;
    const waitMs =
      failure.retryAfter === undefined ? BASE_RETRY_MS * 2 ** retryCount : failure.retryAfter * 1000;
    await pause(waitMs, undefined, { signal }).catch(() => undefined); // An abort shows in the next attempt.
    if (signal.aborted) throw failure;
  }
}

function mayPass({ retryable, code, retryAfter }: Failure): boolean {
  return retryable && code !== "BREAKER_OPEN" && (retryAfter ?? 0) <= LONGEST_RETRY_SECONDS;
}

interface Heard {
  /** True once something of the answer was handed on: it cannot be asked again unseen. */
  seen: boolean;
  usage: Usage;
  end: Extract<ModelEvent, { type: "finish" | "failure" }>;
}

async function listen(model: Model, request: ModelRequest, question: ModelQuestion): Promise<Heard> {
  const heard: Heard = {
    seen: false,
    usage: { inputTokens: 0, outputTokens: 0 },
    end: {
      type: "failure",
      failure: new Failure("UPSTREAM_ERROR", "The model's answer ended without an end."),
    },
  };
  const take = (event: ModelEvent) => {
    if (event.type === "usage") heard.usage = event.usage;
    else if (event.type === "text_delta" || event.type === "reasoning_delta") {
      if (event.text === "") return;
      heard.seen = true;
      if (event.type === "text_delta") question.onText?.(event.text);
      else question.onReasoning?.(event.text);
    } else heard.end = event;
  };
  try {
    await model.stream(request, take, question.signal);
  } catch (thrown) {
    heard.end = { type: "failure", failure: toFailure(thrown) };
  }
  return heard;
}
