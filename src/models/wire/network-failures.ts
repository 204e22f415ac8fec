import { Failure, toFailure } from "../../protocol/failure.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import type { Deadlines, MissedDeadline } from "./answer.ts";
import { cutOff, vendorOf } from "./failures.ts";
import { TransportError } from "./transport.ts";

/** The failure for a missed deadline. */
export function tooSlow(missed: MissedDeadline, deadlines: Deadlines, context: DialectContext): Failure {
  const who = vendorOf(context);
  const seconds = (ms: number) => `${ms / 1000} s`;
  const sentences = {
    first_byte: `${who} did not begin to answer within ${seconds(deadlines.firstByteMs)}. Trying again may help.`,
    idle: `${who} sent nothing for ${seconds(deadlines.idleMs)} in the middle of its answer. Trying again may help.`,
    total: `The answer from ${who} took longer than ${seconds(deadlines.totalMs)}. A shorter question may help.`,
  };
  return new Failure("UPSTREAM_TIMEOUT", sentences[missed], {
    retryable: missed !== "total",
    details: { deadline: missed },
  });
}

/** The failure for an address that is not the vendor's API. */
export function wrongAddress(message: string): Failure {
  return new Failure("UPSTREAM_ERROR", message, { retryable: false });
}

/** The failure for what the network did to a request. */
export function networkFailure(thrown: unknown, context: DialectContext): Failure {
  if (!(thrown instanceof TransportError)) return toFailure(thrown);
  const who = vendorOf(context);
  const failure = (message: string, retryable = true) =>
    new Failure("UPSTREAM_ERROR", message, { cause: thrown, retryable });
  switch (thrown.stage) {
    case "request":
      return failure(`The base URL or the key of ${who} cannot be used in a request.`, false);
    case "name":
      return failure(
        `The address of ${who} cannot be found. Check the network and the base URL; trying again may help.`,
      );
    case "connect":
      return failure(`${who} cannot be reached. Check the network and the base URL; trying again may help.`);
    case "connect_timeout":
      return new Failure("UPSTREAM_TIMEOUT", `Connecting to ${who} took too long. Trying again may help.`, {
        cause: thrown,
        details: { deadline: "connect" },
      });
    case "proxy":
      return failure(
        `The proxy does not let requests to ${who} through. Check HTTPS_PROXY and its password, or name the host in NO_PROXY.`,
      );
    case "certificate":
      return failure(
        `No secure connection to ${who} is possible. Check the base URL, the clock and the certificates that this machine trusts.`,
      );
    case "unanswered":
      return failure(`${who} closed the connection before it answered. Trying again may help.`);
    case "closed":
      return cutOff(context, thrown);
  }
}
