import { describe, expect, it } from "vitest";
import { fitted, moved, zoomed } from "./zoom.ts";

const stage = { width: 800, height: 600 };

describe("zooming a picture", () => {
  it("shows all of a large picture, and does not blow up a small one", () => {
    expect(fitted({ width: 1472, height: 100 }, stage)).toEqual({ scale: 0.5, x: 0, y: 0 });
    expect(fitted({ width: 20, height: 20 }, stage).scale).toBe(1.5);
  });

  it("keeps the point under the pointer where it is", () => {
    const at = { x: 100, y: -40 };
    const { scale, x, y } = zoomed({ scale: 1, x: 10, y: 20 }, 2, at);
    // The point of the picture that was under the pointer, before and after.
    expect((at.x - x) / scale).toBe((at.x - 10) / 1);
    expect((at.y - y) / scale).toBe((at.y - 20) / 1);
  });

  it("zooms neither in nor out without end", () => {
    expect(zoomed({ scale: 7, x: 0, y: 0 }, 10).scale).toBe(8);
    expect(zoomed({ scale: 0.2, x: 0, y: 0 }, 0.01).scale).toBe(0.1);
  });

  it("never moves a picture out of sight", () => {
    const picture = { width: 200, height: 100 };
    const away = moved({ scale: 1, x: 0, y: 0 }, { x: 9_999, y: -9_999 }, picture, stage);
    expect(away).toEqual({ scale: 1, x: 468, y: -318 });
  });
});
