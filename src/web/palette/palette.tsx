import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useState } from "react";
import type { Highlight, SearchAnswer } from "../../protocol/search.ts";
import { goTo } from "../shell/address.ts";
import { notifyFailure } from "../state/notices.ts";
import { askQuestion } from "../state/questions.ts";
import { t } from "../text/palette.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Modal } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { movedBy } from "../ui/list-keys.ts";
import { openShortcuts } from "./actions.ts";
import { KeyCaps } from "./key-caps.tsx";
import { type Entry, findOnServer, groupsOf } from "./results.ts";
import { takeTyped } from "./typed-early.ts";
import "../style/palette.css";

/** While a person types, the server is asked once for several letters. */
const PAUSE_MS = 80;
const NOTHING: SearchAnswer = { results: [], complete: true };

/** Finds conversations, artifacts, files and everything that the app can do. */
export function Palette({ onClose }: { onClose(): void }) {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  /** Enter was pressed before the server had answered. */
  const [entered, setEntered] = useState(false);
  const { results, complete, isCurrent } = useSearch(query);
  const heading = useId();
  const groups = groupsOf(query, results, () => askInNewChat(query));
  const entries = groups.flatMap((group) => group.entries);
  useLayoutEffect(() => setQuery(takeTyped()), []);
  const chosen = Math.min(at, entries.length - 1);

  function run(entry: Pick<Entry, "run"> | undefined): void {
    if (!entry) return;
    onClose();
    // The dialog gives the focus back first; then what is done may move it.
    setTimeout(entry.run);
  }

  // What is on the screen may still be the answer to fewer letters.
  useEffect(() => {
    if (entered && isCurrent) run(entries[chosen]);
  });

  function onKeyDown(event: KeyboardEvent): void {
    const command = event.metaKey || event.ctrlKey;
    const moved = /^(Home|End)$/.test(event.key) ? undefined : movedBy(event.key, chosen, entries.length);
    if (moved !== undefined) setAt(moved);
    else if (event.key === "Enter" && command && query.trim() !== "") run({ run: () => askInNewChat(query) });
    else if (event.key === "Enter") setEntered(true);
    else if (event.key === "?" && query === "") run({ run: openShortcuts });
    else return;
    event.preventDefault();
  }

  return (
    <Modal labelledBy={heading} onClose={onClose} className="palette" data-part="palette">
      <h2 id={heading} className="unseen">
        {t("search")}
      </h2>
      <div className="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={entries[chosen] && `palette-${entries[chosen].id}`}
          aria-label={t("commandsPlaceholder")}
          placeholder={t("commandsPlaceholder")}
          value={query}
          dir="auto"
          maxLength={500}
          onChange={({ target }) => {
            setQuery(target.value);
            setAt(0);
            setEntered(false);
          }}
          onKeyDown={onKeyDown}
        />
        <IconButton icon="close" label={t("close")} className="palette-close" onClick={onClose} />
      </div>
      <div id="palette-list" role="listbox" aria-label={t("results")} className="palette-list">
        {groups.map(({ name, entries: members }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
          <div key={name} role="group" aria-label={name}>
            <div className="palette-group" aria-hidden="true">
              {name}
            </div>
            {members.map((entry) => (
              <Option
                key={entry.id}
                entry={entry}
                chosen={entry === entries[chosen]}
                choose={() => run(entry)}
              />
            ))}
          </div>
        ))}
        {!complete && <p className="palette-hint">{t("stillIndexing")}</p>}
      </div>
      <footer className="palette-foot">
        <span>{t("paletteKeys")}</span>
        <Button className="quiet" onClick={() => run({ run: openShortcuts })}>
          {t("allShortcuts")}
          <kbd>?</kbd>
        </Button>
      </footer>
    </Modal>
  );
}

function Option({ entry, chosen, choose }: { entry: Entry; chosen: boolean; choose(): void }) {
  const { id, icon, title, titleHighlights, snippet, highlights = [], place, keys } = entry;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
    <div
      id={`palette-${id}`}
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      className="palette-entry"
      ref={(element) => {
        if (chosen) element?.scrollIntoView({ block: "nearest" });
      }}
      onClick={choose}
    >
      <Icon name={icon} />
      <span className="palette-words">
        <span className="palette-line" dir="auto">
          <Marked text={title} highlights={titleHighlights} />
        </span>
        {snippet !== undefined && (
          <span className="palette-line palette-snippet" dir="auto">
            <Marked text={snippet} highlights={highlights} />
          </span>
        )}
      </span>
      {place !== undefined && <span className="palette-place">{place}</span>}
      {keys !== undefined && <KeyCaps keys={keys} />}
    </div>
  );
}

function Marked({ text, highlights }: { text: string; highlights: readonly Highlight[] }) {
  let from = 0;
  const parts = highlights.map(({ start, end }) => {
    const before = text.slice(from, start);
    from = end;
    return [before, text.slice(start, end)] as const;
  });
  return (
    <>
      {parts.map(([before, found], index) => (
        <span key={index}>
          {before}
          <b>{found}</b>
        </span>
      ))}
      {text.slice(from)}
    </>
  );
}

/** What was found stays until something else is, so that nothing flickers. `isCurrent` tells if it is for these words. */
function useSearch(query: string): SearchAnswer & { isCurrent: boolean } {
  const [found, setFound] = useState({ words: "", answer: NOTHING });
  const words = query.trim();
  useEffect(() => {
    if (words === "") return setFound({ words, answer: NOTHING });
    const stop = new AbortController();
    const timer = setTimeout(() => {
      findOnServer(words, stop.signal).then(
        (answer) => setFound({ words, answer }),
        (error) => {
          if (stop.signal.aborted) return;
          setFound({ words, answer: NOTHING });
          notifyFailure(error);
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [words]);
  return { ...found.answer, isCurrent: found.words === words };
}

function askInNewChat(words: string): void {
  goTo(undefined);
  setTimeout(() => void askQuestion({ text: words.trim() }));
}
