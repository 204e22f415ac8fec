import { Failure } from "../../../protocol/failure.ts";
import type { Principal } from "../../../protocol/principal.ts";
import type { StartedTurn, TurnRequest, Turns } from "../../../protocol/turns.ts";
import type { ServerState } from "../../context.ts";
import { modelNotFound } from "./errors.ts";

/** Programs do not wait as long as people do, and somebody may decide in the web app meanwhile. */
export const APPROVAL_MS = 120_000;

/** The turns of somebody, where this server speaks other protocols at all. */
export function turnsOf(server: ServerState, principal: Principal): Turns {
  const turns = server.deps.turnsFor?.(principal);
  if (!turns) throw new Failure("NOT_FOUND", "This server does not speak OpenAI's dialect.");
  return turns;
}

export interface StartOptions {
  idempotencyKey: string | undefined;
  requestId: string;
  body: unknown;
}

/** Starts a turn; what is wrong with it is told in OpenAI's words. */
export async function startTurn(
  turns: Turns,
  request: TurnRequest,
  options: StartOptions,
): Promise<StartedTurn> {
  try {
    return await turns.start({ approvalMs: APPROVAL_MS, ...request }, options);
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== "INVALID_INPUT") throw thrown;
    const { field } = thrown.details ?? {};
    if (field === "model") throw modelNotFound(request.model ?? "", thrown.publicMessage);
    throw new Failure("INVALID_INPUT", thrown.publicMessage, {
      details: { ...thrown.details, param: field === "tools" ? "tools" : null },
    });
  }
}

/** A model's id where the vendor is named apart from it. */
export function modelId(model: string | undefined, providerId: string | undefined): string | undefined {
  if (model === undefined || providerId === undefined) return model;
  return model.startsWith(`${providerId}/`) ? model : `${providerId}/${model}`;
}
