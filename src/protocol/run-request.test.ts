import { describe, expect, it } from "vitest";
import { encodeRunRequest, parseRunRequest, type RunRequest } from "./run-request.ts";

const request: RunRequest = {
  request: { message: "Hello", tools: ["get_time"] },
  principal: { id: "ada", kind: "account" },
  model: "demo/demo",
  requestId: "req_1",
};
const run = (stored: unknown) => ({ id: "run_1", request: stored });

describe("the stored request of a run", () => {
  it("is read back as it was written", () => {
    const stored = JSON.parse(JSON.stringify(encodeRunRequest(request)));
    expect(parseRunRequest(run(stored))).toEqual(request);
  });

  it("is read without a format, as the first version wrote it", () => {
    expect(parseRunRequest(run(request))).toEqual(request);
  });

  it("keeps fields that this version does not know", () => {
    const later = { ...request, request: { ...request.request, projectId: "prj_1" } };
    expect(parseRunRequest(run(later))).toEqual(later);
  });

  it("is refused in one sentence if a newer version wrote it", () => {
    expect(() => parseRunRequest(run({ ...request, format: 2 }))).toThrow(
      /^The request of run run_1 was written by a newer version of Tackle \(format 2, this one reads up to 1\)/,
    );
  });

  it("is refused in one sentence that says where it is damaged", () => {
    const damaged = { ...request, principal: { id: "ada" } };
    expect(() => parseRunRequest(run(damaged))).toThrow(
      /^The request of run run_1 cannot be read .*principal\.kind/,
    );
    expect(() => parseRunRequest(run("nothing"))).toThrow(/^The request of run run_1 cannot be read/);
  });
});
