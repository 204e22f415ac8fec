/** A text that a person has saved to send again. `{{name}}` in it is a field that is filled in first. */
export interface SavedPrompt {
  id: string;
  /** What a message asks for it with, after a slash. */
  name: string;
  description?: string;
  text: string;
  /** The names of its fields, in the order of the text. */
  fields: string[];
  createdAt: string;
  updatedAt: string;
}

const FIELD = /\{\{\s*([^{}\n]{1,60}?)\s*\}\}/g;

/** Returns the names of the fields in a text, each once. */
export function fieldsOf(text: string): string[] {
  return [...new Set([...text.matchAll(FIELD)].map(([, name = ""]) => name))];
}

/** Fills in the fields of a text. Those without a value stay. */
export function fillFields(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(FIELD, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? "") : whole,
  );
}
