import { describe, expect, it } from "vitest";
import { frameMessage } from "./frame-message.ts";

describe("messages of a frame", () => {
  it("are read only with the name of the frame", () => {
    expect(frameMessage({ tackle: "other", type: "picked", html: "<p>" }, "name")).toBeUndefined();
    expect(frameMessage({ tackle: "name", type: "unheard of" }, "name")).toBeUndefined();
    expect(frameMessage({ tackle: "name", type: "unpicked" }, "name")).toEqual({ type: "unpicked" });
  });

  it("quote at most 2,000 characters of a part, as text", () => {
    const message = frameMessage({ tackle: "name", type: "picked", html: "a".repeat(9_000) }, "name");
    expect(message).toEqual({ type: "picked", html: "a".repeat(2_000) });
    expect(frameMessage({ tackle: "name", type: "picked", html: { no: 1 } }, "name")).toEqual({
      type: "picked",
      html: "[object Object]",
    });
  });
});
