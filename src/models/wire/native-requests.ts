import type { Failure } from "../../protocol/failure.ts";
import type { Model } from "../../protocol/model.ts";
import { COMPLETIONS } from "../../protocol/native-request.ts";

/** Statuses of a request that the vendor does not understand. */
const INVALID: ReadonlySet<unknown> = new Set([400, 422]);
/** Not every server and model completes texts. */
const NOT_COMPLETED: ReadonlySet<unknown> = new Set([400, 404, 405, 422, 501]);

/**
 * Asks with the client's own request first. If the vendor refuses it, the same is asked in our words, which leave out what the
 * model does not take. If that fails for good, the person gets the first refusal: it is about what the client sent.
 */
export function withTranslation(stream: Model["stream"]): Model["stream"] {
  return async (request, emit, signal) => {
    const { native, ...translated } = request;
    if (!native) return stream(request, emit, signal);
    const statuses = native.dialect === COMPLETIONS ? NOT_COMPLETED : INVALID;
    let refusal: Failure | undefined;
    await stream(
      request,
      (event) => {
        if (event.type === "failure" && isRefusal(event.failure, statuses)) refusal = event.failure;
        else emit(event);
      },
      signal,
    );
    const first = refusal;
    if (!first) return;
    await stream(
      translated,
      (event) => {
        const isFinal = event.type === "failure" && !event.failure.retryable;
        emit(isFinal ? { type: "failure", failure: first } : event);
      },
      signal,
    );
  };
}

function isRefusal({ code, details }: Failure, statuses: ReadonlySet<unknown>): boolean {
  return code !== "CONTEXT_TOO_LARGE" && statuses.has(details?.upstreamStatus);
}
