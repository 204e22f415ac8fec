import { describe, expect, it } from "vitest";
import { interfaceOf, pageIn } from "./apps.ts";

describe("the interface of a tool", () => {
  it("is read in both forms, and only from ui: addresses", () => {
    const own = { resourceUri: "ui://a/b", model: true, app: true };
    expect(interfaceOf({ ui: { resourceUri: "ui://a/b" } })).toEqual(own);
    expect(interfaceOf({ "ui/resourceUri": "ui://a/b" })).toEqual(own);
    for (const meta of [undefined, {}, { ui: { resourceUri: "https://a/b" } }, { ui: "ui://a/b" }])
      expect(interfaceOf(meta)).toBeUndefined();
  });

  it("says who may call the tool", () => {
    expect(interfaceOf({ ui: { visibility: ["app"] } })).toEqual({ model: false, app: true });
    expect(interfaceOf({ ui: { visibility: ["model"] } })).toEqual({ model: true, app: false });
    expect(interfaceOf({ ui: { visibility: [] } })).toEqual({ model: false, app: false });
  });

  it("has a page of the right type, as text or as bytes", () => {
    const page = { uri: "ui://a", mimeType: "text/html; profile=mcp-app" };
    const ui = { csp: { connectDomains: ["https://api.example"] }, prefersBorder: false };
    expect(pageIn({ contents: [{ ...page, text: "<p>", _meta: { ui } }] }, "ui://a")).toEqual({
      html: "<p>",
      domains: { connectDomains: ["https://api.example"] },
      border: false,
    });
    const blob = Buffer.from("<p>é").toString("base64");
    expect(pageIn({ contents: [{ ...page, blob }] }, "ui://a").html).toBe("<p>é");
    for (const broken of [
      { ...page, mimeType: "text/html", text: "<p>" },
      { ...page, text: " " },
    ])
      expect(() => pageIn({ contents: [broken] }, "ui://a")).toThrow("cannot be shown");
  });
});
