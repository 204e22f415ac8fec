import { gzipSync } from "node:zlib";
import type { BrowserContext, BrowserContextOptions, Page, Response } from "playwright-core";

/** The two sizes at which the look is measured. */
export const DESK: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

/** Parts that stand on the left edge of the column. */
const ON_THE_EDGE = ["prose", "step", "artifact-card", "approval", "question", "problem"];

/** Returns the left edges of everything in the log, and of the first letter in the message field, with their parts. */
export function leftEdges(page: Page): Promise<{ part: string; x: number }[]> {
  return page.evaluate((parts) => {
    const edges = parts.flatMap((part) =>
      [...document.querySelectorAll(`[data-part=log] [data-part=${part}]`)].map((element) => ({
        part,
        x: element.getBoundingClientRect().left,
      })),
    );
    const field = document.querySelector("[data-part=composer-text]");
    if (!field) return edges;
    const { paddingInlineStart, borderInlineStartWidth } = getComputedStyle(field);
    const x =
      field.getBoundingClientRect().left +
      Number.parseFloat(paddingInlineStart) +
      Number.parseFloat(borderInlineStartWidth);
    return [...edges, { part: "composer-text", x }];
  }, ON_THE_EDGE);
}

/** Returns the distances between the middle of each step line's icon and the middle of its words. */
export function iconOffsets(page: Page): Promise<number[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll(".step-line")].flatMap((line) => {
      const [icon, words] = [line.querySelector(".icon, .ring"), line.querySelector(".step-name")];
      if (!icon || !words) return [];
      const middle = (element: Element) => {
        const { top, height } = element.getBoundingClientRect();
        return top + height / 2;
      };
      return [Math.abs(middle(icon) - middle(words))];
    }),
  );
}

/** Returns the sum of all layout shifts so far that no input explains, and what moved. */
export function layoutShift(page: Page): Promise<{ total: number; moved: string[] }> {
  return page.evaluate(async () => {
    interface Shift extends PerformanceEntry {
      value: number;
      hadRecentInput: boolean;
      sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
    }
    const entries = await new Promise<Shift[]>((resolve) => {
      const found: Shift[] = [];
      const observer = new PerformanceObserver((list) => found.push(...(list.getEntries() as Shift[])));
      observer.observe({ type: "layout-shift", buffered: true });
      setTimeout(() => resolve(found), 100);
    });
    const unexpected = entries.filter(({ hadRecentInput }) => !hadRecentInput);
    return {
      total: unexpected.reduce((sum, { value }) => sum + value, 0),
      moved: unexpected.flatMap(({ value, startTime, sources }) =>
        sources.map(({ node, previousRect: from, currentRect: to }) => {
          const what =
            node instanceof Element ? node.outerHTML.slice(0, 80) : node?.textContent?.slice(0, 40);
          return `${value.toFixed(4)} at ${startTime.toFixed()}: ${from.x},${from.y} ${from.width}×${from.height} → ${to.x},${to.y} ${to.width}×${to.height} ${what}`;
        }),
      ),
    };
  });
}

/** The place of everything that a person may be reading, in one frame. */
export interface Sample {
  panel: boolean;
  sidebar: number;
  column: number;
  composerBottom: number;
  /** Top and height of each block that was there when sampling began. */
  blocks: string;
}

/** Samples the page in every frame. Returns a function that ends it and returns the samples. */
export async function sampleFrames(page: Page): Promise<() => Promise<Sample[]>> {
  await page.evaluate(async () => {
    // What still moves was set off before, such as the message field by the first question.
    const moving = document.getAnimations().filter((one) => one.effect?.getTiming().iterations !== Infinity);
    await Promise.allSettled(moving.map((one) => one.finished));
    const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
    const watched = [
      ...document.querySelectorAll(".prose-group > *, [data-part=asked], [data-part=artifact-card]"),
    ];
    const samples: Sample[] = [];
    let going = true;
    const sample = () => {
      samples.push({
        panel: box("[data-part=panel]") !== undefined,
        sidebar: Math.round(box("[data-part=sidebar]")?.width ?? 0),
        column: Math.round(box("[data-part=column]")?.width ?? 0),
        composerBottom: Math.round(box("[data-part=composer]")?.bottom ?? 0),
        blocks: watched
          .map((one) => one.getBoundingClientRect())
          .map(({ top, height }) => `${top.toFixed(1)}+${height.toFixed(1)}`)
          .join(" "),
      });
      if (going) requestAnimationFrame(sample);
    };
    sample();
    Object.assign(globalThis, {
      endSampling: () => {
        going = false;
        return samples;
      },
    });
  });
  return () => page.evaluate(() => (globalThis as unknown as { endSampling(): Sample[] }).endSampling());
}

/** Where a part is in the layout, and where it is seen, in one frame. */
export interface Move {
  place: number;
  seen: number;
}

/** Samples the top of a part in every frame. Returns a function that ends it and returns the samples. */
export async function sampleMove(page: Page, selector: string): Promise<() => Promise<Move[]>> {
  await page.evaluate((wanted) => {
    const moves: Move[] = [];
    let going = true;
    const sample = () => {
      const part = document.querySelector(wanted);
      let moved = 0;
      for (let one = part; one; one = one.parentElement) {
        const { transform, translate } = getComputedStyle(one);
        if (transform !== "none") moved += new DOMMatrix(transform).m42;
        if (translate !== "none") moved += Number.parseFloat(translate.split(" ")[1] ?? "0");
      }
      const seen = part?.getBoundingClientRect().top ?? 0;
      moves.push({ place: seen - moved, seen });
      if (going) requestAnimationFrame(sample);
    };
    sample();
    Object.assign(globalThis, {
      endMove: () => {
        going = false;
        return moves;
      },
    });
  }, selector);
  return () => page.evaluate(() => (globalThis as unknown as { endMove(): Move[] }).endMove());
}

/** Returns the mean luminance of a picture, from 0 to 1. */
export async function luminanceOf(context: BrowserContext, picture: Buffer): Promise<number> {
  // The policy of the app's page forbids what this needs.
  const page = await context.newPage();
  const value = await page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    canvas?.drawImage(image, 0, 0, 1, 1);
    const parts = [...(canvas?.getImageData(0, 0, 1, 1).data ?? [255, 255, 255])].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * (parts[0] ?? 1) + 0.7152 * (parts[1] ?? 1) + 0.0722 * (parts[2] ?? 1);
  }, picture.toString("base64"));
  await page.close();
  return value;
}

/** Returns all font sizes and weights of visible text, each with an example. */
export function typeOf(
  page: Page,
): Promise<{ sizes: Record<string, string>; weights: Record<string, string> }> {
  return page.evaluate(() => {
    const sizes: Record<string, string> = {};
    const weights: Record<string, string> = {};
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      const text = node.textContent?.trim() ?? "";
      if (!element || text === "" || !element.checkVisibility({ visibilityProperty: true })) continue;
      if (element.closest(".unseen, .cm-editor, .katex")) continue;
      const { fontSize, fontWeight } = getComputedStyle(element);
      sizes[fontSize] ??= `${element.className} “${text.slice(0, 30)}”`;
      weights[fontWeight] ??= `${element.className} “${text.slice(0, 30)}”`;
    }
    return { sizes, weights };
  });
}

/** Returns everything that can be touched and is smaller than 44 by 44. Links and marks within a text are left out. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const all = document.querySelectorAll<HTMLElement>(
      "a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=option], [role=menuitem], [role=menuitemradio], [role=switch]",
    );
    const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
    return [...all].flatMap((element) => {
      if (dialog && !dialog.contains(element)) return [];
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return [];
      if (
        element.closest(".unseen, [inert]") ||
        element.matches(".footnote-mark, input:disabled") ||
        (element.matches("a") && element.closest("p, li.source, .prose"))
      )
        return [];
      const toggle = element.matches("input[type=checkbox], input[type=radio]");
      const { width, height, right, bottom } = (
        (toggle && element.closest("label")) ||
        element
      ).getBoundingClientRect();
      if (width === 0 || right <= 0 || bottom <= 0 || (width >= 43.5 && height >= 43.5)) return [];
      return [`${Math.round(width)}×${Math.round(height)} ${element.outerHTML.slice(0, 110)}`];
    });
  });
}

/** Returns what moves: animations and transitions that last longer than this. */
export function motionOver(page: Page, milliseconds: number): Promise<string[]> {
  return page.evaluate((limit) => {
    const inMs = (text: string) =>
      text.split(",").map((one) => Number.parseFloat(one) * (one.trim().endsWith("ms") ? 1 : 1000));
    return [...document.querySelectorAll("*")].flatMap((element) => {
      if (element.matches(".ring, .shimmer, .skeleton")) return [];
      return [undefined, "::before", "::after", "::backdrop"].flatMap((part = "") => {
        const { content, transitionDuration, animationDuration, animationName } = getComputedStyle(
          element,
          part,
        );
        if (content === "none") return [];
        const longest = Math.max(
          ...inMs(transitionDuration),
          animationName === "none" ? 0 : Math.max(...inMs(animationDuration)),
        );
        return longest > limit ? [`${longest} ms ${part} ${element.outerHTML.slice(0, 80)}`] : [];
      });
    });
  }, milliseconds);
}

/** Bytes of the first load by kind, compressed as far as gzip goes; fonts as they are. */
export async function firstLoad(
  page: Page,
  address: string,
): Promise<{ script: number; style: number; font: number; blocking: string[] }> {
  const sizes = { script: 0, style: 0, font: 0 };
  const seen = new Set<string>();
  const reads: Promise<void>[] = [];
  const read = async (response: Response) => {
    const type = response.request().resourceType();
    if (seen.has(response.url())) return;
    seen.add(response.url());
    const isScript = type === "script" || /\.m?js(\?|$)/.test(response.url());
    if (!isScript && type !== "stylesheet" && type !== "font") return;
    // The sum is read only after the body has arrived: others add to it meanwhile.
    const body = await response.body();
    if (type === "font") sizes.font += body.length;
    else sizes[isScript ? "script" : "style"] += gzipSync(body, { level: 9 }).length;
  };
  const onResponse = (response: Response) => void reads.push(read(response));
  page.on("response", onResponse);
  await page.goto(address);
  await page.locator("[data-part=composer]").waitFor();
  await page.waitForTimeout(1_000);
  // What comes later may not be complete when the page is closed.
  page.off("response", onResponse);
  await Promise.all(reads);
  const blocking = await page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .filter(
        (entry) =>
          (entry as PerformanceResourceTiming & { renderBlockingStatus?: string }).renderBlockingStatus ===
          "blocking",
      )
      .map(({ name }) => name)
      .filter((name) => !name.endsWith(".css")),
  );
  return { ...sizes, blocking };
}

/** Returns what is wrong with the focus: it is nowhere, or nothing shows where it is. */
export function focusFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (!focused || focused === document.body) return ["the focus is nowhere"];
    const isRinged = (element: Element | null) => {
      if (!element) return false;
      const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(element);
      const outlined = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1.5;
      return (outlined && !/, 0\)$|transparent/.test(outlineColor)) || /0px 0px 0px [2-4]px/.test(boxShadow);
    };
    if (isRinged(focused)) return [];
    // The frame around a field shows it as well as the field itself, and the cursor in it does.
    const isField = focused.matches(
      "input:not([type=checkbox], [type=radio]), textarea, [contenteditable=true]",
    );
    const frame = focused.closest("[data-part=composer], label, .field, .palette-field");
    if (isField && (isRinged(frame) || focused.closest("[data-part=composer], .palette-field"))) return [];
    return [`no ring on ${focused.outerHTML.slice(0, 120)}`];
  });
}

/** Notes every frame in which the focus is nowhere. Returns a function that returns what had it before. */
export async function watchFocus(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const lost = new Set<string>();
    let last = "the page itself";
    const look = () => {
      const focused = document.activeElement;
      if (focused && focused !== document.body) last = focused.outerHTML.slice(0, 120);
      else lost.add(`the focus was lost after ${last}`);
      requestAnimationFrame(look);
    };
    look();
    Object.assign(globalThis, { focusLost: () => [...lost] });
  });
  return () => page.evaluate(() => (globalThis as unknown as { focusLost(): string[] }).focusLost());
}
