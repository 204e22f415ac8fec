import { Failure } from "../../../protocol/failure.ts";
import type { StartedTurn, TurnRequest, Turns } from "../../../protocol/turns.ts";
import { modelNotFound } from "./errors.ts";

/** How long a run waits for an approval. Programs time out sooner than people; a person can still approve in the web app. */
const APPROVAL_MS = 120_000;

export interface StartOptions {
  idempotencyKey: string | undefined;
  requestId: string;
  body: unknown;
}

/** Starts a turn. Errors in the request are reported in OpenAI's format. */
export async function startTurn(
  turns: Turns,
  request: TurnRequest,
  options: StartOptions,
): Promise<StartedTurn> {
  return namingModel(request.model, () =>
    turns.start({ approvalMs: APPROVAL_MS, attended: false, ...request }, options),
  );
}

/** Does something with a request. An unknown model is reported as not found. */
export async function namingModel<Value>(
  model: string | undefined,
  act: () => Promise<Value>,
): Promise<Value> {
  try {
    return await act();
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== "INVALID_INPUT") throw thrown;
    const { field, param } = thrown.details ?? {};
    if (field === "model") throw modelNotFound(model ?? "", thrown.publicMessage);
    throw new Failure("INVALID_INPUT", thrown.publicMessage, {
      details: { ...thrown.details, param: param ?? (field === "tools" ? "tools" : null) },
    });
  }
}

/** The id of a model whose provider is named in a separate field. */
export function modelId(named: string | undefined, providerId: string | undefined): string | undefined {
  // People type it into settings.
  const model = named?.trim();
  // Servers with one model do not mind its name.
  if (!model) return undefined;
  if (providerId === undefined) return model;
  return model.startsWith(`${providerId}/`) ? model : `${providerId}/${model}`;
}
