import type { Page } from "playwright-core";

/**
 * Returns visible text and placeholders with less contrast than 4.5, and edges of fields, switches and buttons that open lists with
 * less than 3.
 * Axe leaves out placeholders, edges, and text above something that it can't tell.
 */
export function lowContrast(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    type Color = [red: number, green: number, blue: number, alpha: number];
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const known = new Map<string, Color>();
    const read = (text: string): Color => {
      const before = known.get(text);
      if (before) return before;
      canvas?.clearRect(0, 0, 1, 1);
      if (canvas) canvas.fillStyle = text;
      canvas?.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, alpha = 0] = canvas?.getImageData(0, 0, 1, 1).data ?? [];
      const color: Color = [red, green, blue, alpha / 255];
      known.set(text, color);
      return color;
    };
    const over = (top: Color, below: Color): Color => {
      const mix = (at: 0 | 1 | 2) => top[at] * top[3] + below[at] * (1 - top[3]);
      return [mix(0), mix(1), mix(2), 1];
    };
    const groundOf = (element: Element | null): Color => {
      if (!element) return read(getComputedStyle(document.documentElement).backgroundColor);
      const color = read(getComputedStyle(element).backgroundColor);
      if (color[3] === 1) return color;
      // What lies in the top layer has its own ground.
      return over(
        color,
        element.matches("dialog, [popover]") ? read("#808080") : groundOf(element.parentElement),
      );
    };
    const fadeOf = (element: Element | null): number =>
      element ? Number(getComputedStyle(element).opacity) * fadeOf(element.parentElement) : 1;
    const luminance = ([red, green, blue]: Color) => {
      const part = (value: number) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      };
      return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
    };
    const ratio = (text: string, ground: Color, fade = 1) => {
      const [red, green, blue, alpha] = read(text);
      const one = luminance(over([red, green, blue, alpha * fade], ground));
      const other = luminance(ground);
      return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    };
    const isOff = (element: Element) =>
      element.closest(":disabled, [aria-disabled=true], [inert], .unseen, .katex-mathml, option") !== null ||
      !element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const topmost = [...document.querySelectorAll("dialog[open]")].at(-1);
    const found: string[] = [];
    const note = (value: number, least: number, what: string, element: Element) => {
      if (value < least - 0.005) found.push(`${value.toFixed(2)} ${what} ${element.outerHTML.slice(0, 90)}`);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      const text = node.textContent?.trim() ?? "";
      if (!element || text === "" || isOff(element) || (topmost && !topmost.contains(element))) continue;
      if (element.closest("svg, style, script")) continue;
      const fade = fadeOf(element);
      // What appears on hover only is not seen yet.
      if (fade < 0.05) continue;
      note(
        ratio(getComputedStyle(element).color, groundOf(element), fade),
        4.5,
        `“${text.slice(0, 20)}”`,
        element,
      );
    }
    for (const field of document.querySelectorAll<HTMLInputElement>(
      "input[placeholder], textarea[placeholder]",
    ))
      if (!isOff(field) && (!topmost || topmost.contains(field))) {
        const { color, opacity } = getComputedStyle(field, "::placeholder");
        note(ratio(color, groundOf(field), Number(opacity)), 4.5, `placeholder ${field.placeholder}`, field);
      }
    for (const control of document.querySelectorAll(
      "input, textarea, [role=switch], [role=combobox], [aria-haspopup=listbox]",
    )) {
      const { borderTopWidth, borderTopColor, backgroundColor } = getComputedStyle(control);
      if (isOff(control) || Number.parseFloat(borderTopWidth) === 0) continue;
      if (topmost && !topmost.contains(control)) continue;
      const around = groundOf(control.parentElement);
      const edge = Math.max(ratio(borderTopColor, around), ratio(backgroundColor, around));
      note(edge, 3, "edge", control);
    }
    return [...new Set(found)];
  });
}
