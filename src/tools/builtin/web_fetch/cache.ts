import type { Page } from "./read-page.ts";

/** A converted page with its address. */
export interface CachedPage {
  finalUrl: string;
  status: number;
  contentType: string;
  page: Page;
}

const KEPT_MS = 10 * 60_000;
const MAX_CHARACTERS = 20_000_000;
const MAX_PAGES = 200;

/** Keeps pages for a few minutes, so that reading on does not fetch them again. The oldest are dropped first. */
export class PageCache {
  readonly #entries = new Map<string, { value: CachedPage; until: number; characters: number }>();
  #characters = 0;

  get(key: string, now: number): CachedPage | undefined {
    const entry = this.#entries.get(key);
    if (entry && entry.until > now) return entry.value;
    this.#remove(key);
    return undefined;
  }

  set(key: string, value: CachedPage, now: number): void {
    this.#remove(key);
    const characters = value.page.text.length;
    if (characters > MAX_CHARACTERS / 4) return;
    this.#entries.set(key, { value, until: now + KEPT_MS, characters });
    this.#characters += characters;
    for (const oldest of this.#entries.keys()) {
      if (this.#characters <= MAX_CHARACTERS && this.#entries.size <= MAX_PAGES) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#characters -= this.#entries.get(key)?.characters ?? 0;
    this.#entries.delete(key);
  }
}
