import "../style/diagram.css";
import { randomKey } from "../../client/random-key.ts";
import { isObject } from "../../protocol/json.ts";
import { cached } from "./cache.ts";

/** A diagram as an image, or why it can't be drawn. */
export type Drawing = { address: string; width: number; height: number } | { error: string };

const PAGE = "/artifacts/drawing";
const MAX_CACHED = 100;
/** Mermaid rejects longer sources. */
const MAX_CHARACTERS = 50_000;
const TIMEOUT_MS = 20_000;

const drawings = new Map<string, Promise<Drawing>>();
const waiting = new Map<string, (drawing: Drawing) => void>();
let frame: Promise<HTMLIFrameElement> | undefined;

/** Draws a diagram in a sandboxed frame that all diagrams share. The same source is drawn only once. */
export function draw(source: string, dark: boolean): Promise<Drawing> {
  return cached(drawings, `${dark}\n${source}`, MAX_CACHED, () => drawInFrame(source, dark));
}

async function drawInFrame(source: string, dark: boolean): Promise<Drawing> {
  if (source.length > MAX_CHARACTERS) return { error: `${source.length} > ${MAX_CHARACTERS}` };
  frame ??= openFrame();
  const opened = await frame;
  // The frame can't guess the ids of other diagrams, and an answer counts only for a diagram that waits.
  const id = randomKey();
  return new Promise((resolve) => {
    const late = setTimeout(() => {
      waiting.delete(id);
      opened.remove();
      frame = undefined;
      resolve({ error: "it took too long" });
    }, TIMEOUT_MS);
    waiting.set(id, (drawing) => {
      clearTimeout(late);
      resolve(drawing);
    });
    opened.contentWindow?.postMessage({ type: "draw", id, source, dark }, "*");
  });
}

function openFrame(): Promise<HTMLIFrameElement> {
  const opened = document.createElement("iframe");
  opened.sandbox.add("allow-scripts");
  opened.src = PAGE;
  opened.className = "drawing-frame";
  opened.title = "";
  opened.tabIndex = -1;
  opened.setAttribute("aria-hidden", "true");
  return new Promise((resolve) => {
    addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
      if (source === null || source !== opened.contentWindow || !isObject(data)) return;
      if (data.type === "ready") resolve(opened);
      if (data.type !== "drawn" || typeof data.id !== "string") return;
      waiting.get(data.id)?.(drawingOf(data));
      waiting.delete(data.id);
    });
    document.body.append(opened);
  });
}

function drawingOf({ svg, width, height, error }: Record<string, unknown>): Drawing {
  if (typeof svg !== "string") return { error: String(error ?? "") };
  return {
    address: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`,
    width: Math.ceil(Number(width) || 300),
    height: Math.ceil(Number(height) || 150),
  };
}
