import { saveBlob } from "../shell/save-blob.ts";
import { t } from "../text/t.ts";

/** Sharper than the screen, but no larger than canvases may be. */
const PNG_SCALE = 2;
const MOST_PIXELS = 8_000;

interface Picture {
  /** An SVG, as a data address. */
  address: string;
  width: number;
  height: number;
}

/** Downloads a drawn picture. A PNG gets the ground on which it is shown. */
export async function savePicture(picture: Picture, format: "svg" | "png"): Promise<void> {
  const name = `${t("kindDiagram").toLowerCase()}.${format}`;
  if (format === "png") return saveBlob(name, await asPng(picture));
  const svg = decodeURIComponent(picture.address.slice(picture.address.indexOf(",") + 1));
  saveBlob(name, new Blob([svg], { type: "image/svg+xml" }));
}

async function asPng({ address, width, height }: Picture): Promise<Blob> {
  const image = new Image();
  image.src = address;
  await image.decode();
  const scale = Math.min(PNG_SCALE, MOST_PIXELS / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser can’t draw pictures.");
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture is too large.")))),
  );
}
