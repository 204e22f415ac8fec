import { describe, expect, it } from "vitest";
import { grantedDomains, refusedDomains } from "./app-domains.ts";

const declared = {
  connectDomains: ["https://api.example", "https://a.cdn.example", "https://x.example; script-src *"],
  resourceDomains: ["https://cdn.example", "https://*.cdn.example", "https://cdn.example:8443"],
};

describe("the domains of an app", () => {
  it("are refused unless the operator names them", () => {
    expect(grantedDomains(declared, [])).toEqual({});
    expect(refusedDomains(declared, [])).toHaveLength(6);
  });

  it("are granted where the app declares them and the operator names them", () => {
    const allowed = ["https://api.example", "https://undeclared.example", "https://*.cdn.example"];
    expect(grantedDomains(declared, allowed)).toEqual({
      connectDomains: ["https://api.example", "https://a.cdn.example"],
      resourceDomains: ["https://*.cdn.example"],
    });
    expect(refusedDomains(declared, allowed)).toContain("https://cdn.example:8443");
  });

  it("cannot add a directive to the policy", () => {
    expect(grantedDomains(declared, ["https://x.example; script-src *", "https://*.example"])).toEqual({
      connectDomains: ["https://api.example", "https://a.cdn.example"],
      resourceDomains: ["https://cdn.example", "https://*.cdn.example"],
    });
  });
});
