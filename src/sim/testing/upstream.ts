import type { Turn } from "../turn.ts";
import * as sim from "../upstream.ts";
import { findProblems, type Vendor, vendorOfRequest } from "./rules/find-problems.ts";

export interface StrictOptions extends Omit<sim.UpstreamOptions, "refuse"> {
  /**
   * Whose rules the requests must keep. A request that breaks one gets the vendor's own error.
   * `by path`, the default, goes by the path and the model's name; `off` takes everything.
   */
  rules?: Vendor | "by path" | "off";
}

/** Starts a scriptable vendor that is as strict as the real ones. */
export function startUpstream({ rules = "by path", ...options }: StrictOptions = {}): Promise<sim.Upstream> {
  return sim.startUpstream({
    ...options,
    ...(rules !== "off" && { refuse: (request) => refusal(request, rules) }),
  });
}

function refusal(request: sim.RecordedRequest, rules: Vendor | "by path"): Turn | undefined {
  if (request.method !== "POST") return undefined;
  const byPath = vendorOfRequest(request);
  const vendor = byPath && (rules === "by path" ? byPath : rules);
  const found = vendor && findProblems(vendor, request).find(({ misread }) => !misread);
  if (!found) return undefined;
  return { status: found.status, contentType: "application/json", frames: [JSON.stringify(found.errorBody)] };
}
