import { pauseIfLong } from "../../protocol/slices.ts";
import type { Database } from "./database.ts";

/** So many times, words leave the index at once, which takes longer the larger the index is. */
const FEW = 2;
/** How much of the index is written again at a time, in pages: a few milliseconds. */
const PAGES = 4;
/** The engine takes no bound value for this one. */
const secureDelete = (on: 0 | 1) =>
  `INSERT INTO project_words (project_words, rank) VALUES ('secure-delete', ${on})`;

/** Returns a function that removes pieces of files with their words. `remove` removes some, and returns how many. */
export function pieceRemover(database: Database) {
  const later = database.prepare(secureDelete(0));
  const atOnce = database.prepare(secureDelete(1));
  const merge = database.prepare("INSERT INTO project_words (project_words, rank) VALUES ('merge', ?)");
  const total = database.prepare<{ changes: number }>("SELECT total_changes() AS changes");
  const changes = () => total.get()?.changes ?? 0;

  /** Writes the index again, without the words of what is gone. */
  async function forgetWords(): Promise<void> {
    let pages = -PAGES; // A negative number begins with all of it.
    for (let before = -2; changes() - before >= 2; pages = PAGES) {
      before = changes();
      database.transaction(() => merge.run(pages));
      await pauseIfLong();
    }
  }

  return async (remove: () => number): Promise<void> => {
    let times = 0;
    for (let removed = 1; removed > 0; times++) {
      removed = database.transaction(() => {
        if (times < FEW) return remove();
        later.run();
        const some = remove();
        atOnce.run();
        return some;
      });
      await pauseIfLong();
    }
    if (times > FEW + 1) await forgetWords();
  };
}
