import { fillSample } from "./samples.ts";
import { subjectOf, titleOf } from "./subject.ts";
import type { ArtifactTemplate } from "./template.ts";

const MONTHS: readonly Bar[] = [
  { label: "Jan", value: 42 },
  { label: "Feb", value: 58 },
  { label: "Mar", value: 51 },
  { label: "Apr", value: 74 },
  { label: "May", value: 88 },
  { label: "Jun", value: 97 },
];

interface Bar {
  label: string;
  value: number;
}

export const counter: ArtifactTemplate = {
  words: /\bcount(?:er|ing)?\b/i,
  write: () => ({ type: "react", title: "Counter", code: fillSample("counter.jsx") }),
};

export const todo: ArtifactTemplate = {
  words: /\b(?:to-?\s?dos?|tasks?|checklist|shopping list)\b/i,
  write: () => ({ type: "react", title: "To-do list", code: fillSample("todo.jsx") }),
};

export const clock: ArtifactTemplate = {
  words: /\b(?:clock|watch)\b/i,
  write: () => ({ type: "react", title: "Clock", code: fillSample("clock.jsx") }),
};

/** A chart of the pairs that the request names ("apples 3, pears 5"), or of a sample. */
export const chart: ArtifactTemplate = {
  words: /\b(?:chart|graph|plot|dashboard|bars?)\b/i,
  write(request) {
    const pairs = request.matchAll(/([\p{L}][\p{L}\d-]*)\s*[:=]?\s*(\d+(?:\.\d+)?)(?![\w%])/gu);
    const named = [...pairs].map(([, label = "", value]) => ({ label, value: Number(value) }));
    const bars = named.length > 1 ? named.slice(0, 12) : MONTHS;
    const rows = bars.map(({ label, value }) => `  { label: ${JSON.stringify(label)}, value: ${value} },`);
    return {
      type: "react",
      title: "Bar chart",
      code: fillSample("chart.jsx", { "  // rows": rows.join("\n") }),
    };
  },
};

/** For any other component: a card with its subject and a button. */
export const card: ArtifactTemplate = {
  words: /./s,
  write(request) {
    const title = titleOf(subjectOf(request)) || "A small component";
    return { type: "react", title, code: fillSample("card.jsx", { '"TITLE"': JSON.stringify(title) }) };
  },
};
