import { fillSample } from "./samples.ts";
import { escapeMarkup, subjectOf, titleOf } from "./subject.ts";
import type { ArtifactTemplate } from "./template.ts";

const COLORS: Record<string, string> = {
  red: "#dc2626",
  orange: "#ea580c",
  yellow: "#eab308",
  green: "#16a34a",
  blue: "#2563eb",
  purple: "#7c3aed",
  pink: "#db2777",
  black: "#0f172a",
  white: "#f8fafc",
};

/** A color that the request names replaces the color of the file. */
const SHAPES: readonly { words: RegExp; file: string; color: string }[] = [
  { words: /\bsun\b/i, file: "sun.svg", color: "#f59e0b" },
  { words: /\b(?:heart|love)\b/i, file: "heart.svg", color: "#e11d48" },
  { words: /\bstar\b/i, file: "star.svg", color: "#eab308" },
  { words: /\b(?:house|home)\b/i, file: "house.svg", color: "#2563eb" },
  { words: /\btree\b/i, file: "tree.svg", color: "#16a34a" },
  { words: /\bcircle\b/i, file: "circle.svg", color: "#2563eb" },
  { words: /\bsquare\b/i, file: "square.svg", color: "#2563eb" },
];

/** Two rotated squares with the initials of the subject. */
const LOGO = { file: "logo.svg", color: "#4f46e5" };

function write(request: string) {
  const subject = subjectOf(request);
  const { file, color } = SHAPES.find(({ words }) => words.test(subject)) ?? LOGO;
  const named = Object.keys(COLORS).find((name) => new RegExp(`\\b${name}\\b`, "i").test(request));
  const title = titleOf(subject) || "Logo";
  const code = fillSample(file, {
    [color]: COLORS[named ?? ""] ?? color,
    TITLE: escapeMarkup(title),
    INITIALS: escapeMarkup(initialsOf(title)),
  });
  return { type: "svg" as const, title, code };
}

function initialsOf(title: string): string {
  const words = title.split(/\s+/).slice(0, 2);
  return words.map((word) => word.charAt(0).toUpperCase()).join("");
}

export const drawing: ArtifactTemplate = { words: /\b(?:svg|logo|icon|badge|vector)\b/i, write };
