/** Where a picture is shown, from the middle of its stage, and how large. */
export interface Zoom {
  scale: number;
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

interface Point {
  x: number;
  y: number;
}

const LEAST = 0.1;
const MOST = 8;
const MARGIN = 32;
/** A small picture is not blown up to fill the window. */
const MOST_FITTING = 1.5;

/** Returns the zoom that shows all of a picture in the middle of its stage. */
export function fitted(picture: Size, stage: Size): Zoom {
  const room = Math.min(
    (stage.width - 2 * MARGIN) / picture.width,
    (stage.height - 2 * MARGIN) / picture.height,
  );
  return { scale: Math.min(MOST_FITTING, Math.max(LEAST, room)), x: 0, y: 0 };
}

/** Zooms by a factor. The given point, from the middle of the stage, stays where it is. */
export function zoomed({ scale, x, y }: Zoom, factor: number, at: Point = { x: 0, y: 0 }): Zoom {
  const next = Math.min(MOST, Math.max(LEAST, scale * factor));
  const ratio = next / scale;
  return { scale: next, x: at.x - (at.x - x) * ratio, y: at.y - (at.y - y) * ratio };
}

/** Moves the picture, but never quite out of its stage. */
export function moved({ scale, x, y }: Zoom, by: Point, picture: Size, stage: Size): Zoom {
  const reach = (length: number, room: number) => (length * scale + room) / 2 - MARGIN;
  const within = (value: number, limit: number) => Math.min(Math.max(0, limit), Math.max(-limit, value));
  return {
    scale,
    x: within(x + by.x, reach(picture.width, stage.width)),
    y: within(y + by.y, reach(picture.height, stage.height)),
  };
}
