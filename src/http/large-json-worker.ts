import { parentPort } from "node:worker_threads";
import { Failure } from "../protocol/failure.ts";
import { cutJson } from "./json-pieces.ts";
import type { LargeJsonAnswer, LargeJsonRequest } from "./large-json.ts";

parentPort?.on("message", ({ bytes, bounds }: LargeJsonRequest) => {
  try {
    const pieces = cutJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), bounds);
    const answer: LargeJsonAnswer = { bytes, pieces };
    parentPort?.postMessage(answer, [bytes.buffer, pieces.buffer]);
  } catch (thrown) {
    const answer: LargeJsonAnswer =
      thrown instanceof Failure
        ? { refusal: { code: thrown.code, message: thrown.publicMessage } }
        : { refusal: { code: "INVALID_INPUT", message: "The body is not valid JSON." } };
    parentPort?.postMessage(answer);
  }
});
