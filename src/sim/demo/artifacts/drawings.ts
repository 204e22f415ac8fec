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

/** SVG shapes in a frame of 240 by 240, in the given color. */
const SHAPES: readonly { words: RegExp; color: string; draw(color: string): string }[] = [
  {
    words: /\bsun\b/i,
    color: "#f59e0b",
    draw: (color) => {
      const rays = Array.from(
        { length: 12 },
        (_, index) =>
          `    <line x1="120" y1="34" x2="120" y2="54" transform="rotate(${index * 30} 120 120)" />`,
      ).join("\n");
      return `  <circle cx="120" cy="120" r="48" fill="${color}" />
  <g stroke="${color}" stroke-width="8" stroke-linecap="round">
${rays}
  </g>`;
    },
  },
  {
    words: /\b(?:heart|love)\b/i,
    color: "#e11d48",
    draw: (color) =>
      `  <path d="M120 196 C 20 130 36 52 86 52 C 106 52 116 66 120 78 C 124 66 134 52 154 52 C 204 52 220 130 120 196 Z" fill="${color}" />`,
  },
  {
    words: /\bstar\b/i,
    color: "#eab308",
    draw: (color) =>
      `  <polygon points="120,36 144,94 206,98 158,138 174,198 120,165 66,198 82,138 34,98 96,94" fill="${color}" stroke="${color}" stroke-width="8" stroke-linejoin="round" />`,
  },
  {
    words: /\b(?:house|home)\b/i,
    color: "#2563eb",
    draw: (color) => `  <rect x="62" y="108" width="116" height="88" rx="6" fill="${color}" />
  <path d="M42 118 L120 48 L198 118" fill="none" stroke="#0f172a" stroke-width="14" stroke-linecap="round" stroke-linejoin="round" />
  <rect x="104" y="142" width="32" height="54" rx="4" fill="#f8fafc" />
  <circle cx="128" cy="170" r="3" fill="#0f172a" />`,
  },
  {
    words: /\btree\b/i,
    color: "#16a34a",
    draw: (color) => `  <rect x="108" y="150" width="24" height="52" rx="4" fill="#92400e" />
  <circle cx="120" cy="92" r="46" fill="${color}" />
  <circle cx="84" cy="126" r="34" fill="${color}" />
  <circle cx="156" cy="126" r="34" fill="${color}" />`,
  },
  {
    words: /\bcircle\b/i,
    color: "#2563eb",
    draw: (color) => `  <circle cx="120" cy="120" r="76" fill="${color}" />`,
  },
  {
    words: /\bsquare\b/i,
    color: "#2563eb",
    draw: (color) => `  <rect x="48" y="48" width="144" height="144" rx="12" fill="${color}" />`,
  },
];

function write(request: string) {
  const subject = subjectOf(request);
  const shape = SHAPES.find(({ words }) => words.test(subject));
  const named = Object.keys(COLORS).find((name) => new RegExp(`\\b${name}\\b`, "i").test(request));
  const title = titleOf(subject) || "Logo";
  const color = named === undefined ? undefined : COLORS[named];
  const code = shape ? frame(title, shape.draw(color ?? shape.color)) : logo(title, color ?? "#4f46e5");
  return { type: "svg" as const, title, code };
}

function frame(title: string, drawing: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 240" role="img" aria-labelledby="title">
  <title id="title">${escapeMarkup(title)}</title>
${drawing}
</svg>
`;
}

/** A logo of two rotated shapes with the initials of the subject. */
function logo(title: string, color: string): string {
  const initials = title
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join("");
  return frame(
    title,
    `  <defs>
    <linearGradient id="shade" x1="0" y1="0" x2="1" y2="1">
      <stop offset="0" stop-color="${color}" />
      <stop offset="1" stop-color="#0ea5e9" />
    </linearGradient>
  </defs>
  <rect x="40" y="40" width="160" height="160" rx="44" fill="url(#shade)" />
  <rect x="40" y="40" width="160" height="160" rx="44" fill="url(#shade)" opacity="0.35" transform="rotate(45 120 120)" />
  <text x="120" y="124" font-family="system-ui, sans-serif" font-size="68" font-weight="700" fill="#ffffff" text-anchor="middle" dominant-baseline="central">${escapeMarkup(initials)}</text>`,
  );
}

export const drawing: ArtifactTemplate = { words: /\b(?:svg|logo|icon|badge|vector)\b/i, write };
