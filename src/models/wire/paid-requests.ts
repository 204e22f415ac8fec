import { Failure } from "../../protocol/failure.ts";
import type { EmitModelEvent } from "../../protocol/model.ts";
import { TransportError } from "./transport.ts";

/** Statuses of proxies that lost the vendor's answer. */
const ANSWER_LOST = new Set([408, 502, 504, 520, 522, 524]);
/** Where a connection can fail before the vendor has the request. */
const NOT_SENT = new Set(["request", "name", "connect", "connect_timeout", "proxy", "certificate"]);

/**
 * Guards a request for images, which is paid for by the piece: if its answer was lost or could not be read, nothing asks for it
 * again, because the vendor may have charged for it.
 */
export function guardPaidRequest(emit: EmitModelEvent): EmitModelEvent {
  return (event) => {
    const lost = event.type === "failure" && event.failure.retryable && answerWasLost(event.failure);
    emit(lost ? { type: "failure", failure: notRepeated(event.failure) } : event);
  };
}

function answerWasLost({ details, cause }: Failure): boolean {
  const status = details?.upstreamStatus;
  if (typeof status === "number") return ANSWER_LOST.has(status);
  return !(cause instanceof TransportError && NOT_SENT.has(cause.stage));
}

function notRepeated({ code, publicMessage, details, cause }: Failure): Failure {
  const what = publicMessage.replace(/ ?Trying again may help\./, "");
  const message = `${what} The image may have been made and charged for, so it was not requested again.`;
  return new Failure(code, message, { cause, details: { ...details, answerLost: true }, retryable: false });
}
