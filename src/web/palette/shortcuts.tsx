import { useState } from "react";
import { type PaletteKey, t } from "../text/palette.ts";
import { Dialog } from "../ui/dialog.tsx";
import { KeyCaps } from "./key-caps.tsx";
import "../style/palette.css";

const SHORTCUTS: [PaletteKey, [string, PaletteKey][]][] = [
  [
    "keysEverywhere",
    [
      ["⌘K", "keySearch"],
      ["⌘⇧O", "keyNewChat"],
      ["⌘⇧S", "keySidebar"],
      ["⌘.", "keyPanel"],
      ["⌘/", "keyModel"],
      ["⌥↑", "keyPrevious"],
      ["⌥↓", "keyNext"],
      ["⌘P", "keyPrint"],
      ["⌘Z", "keyUndo"],
      ["Esc", "keyEscape"],
      ["?", "keyShortcuts"],
    ],
  ],
  [
    "keysWriting",
    [
      ["↵", "keySend"],
      ["⇧↵", "keyNewLine"],
      ["⌘↵", "keySendNow"],
      ["↑", "keyEditLast"],
    ],
  ],
  [
    "keysReading",
    [
      ["J", "keyMessageDown"],
      ["K", "keyMessageUp"],
      ["C", "keyCopy"],
      ["R", "keyAskAgain"],
      ["E", "keyEdit"],
      ["O", "keySteps"],
    ],
  ],
  ["keysList", [["⌘ Click", "keySelect"]]],
];

/** All shortcuts, in two columns. */
export function Shortcuts({ onClose }: { onClose(): void }) {
  const [query, setQuery] = useState("");
  const words = query.toLowerCase().split(/\s+/);
  const fits = ([keys, name]: [string, PaletteKey]) =>
    words.every((word) => `${t(name)} ${keys}`.toLowerCase().includes(word));
  const groups = SHORTCUTS.map(([name, keys]) => [name, keys.filter(fits)] as const).filter(
    ([, keys]) => keys.length > 0,
  );
  return (
    <Dialog title={t("allShortcuts")} onClose={onClose} className="shortcuts">
      <input
        type="search"
        aria-label={t("searchShortcuts")}
        placeholder={t("searchShortcuts")}
        value={query}
        onChange={({ target }) => setQuery(target.value)}
      />
      <div className="shortcut-groups">
        {groups.map(([name, keys]) => (
          <section key={name}>
            <h3>{t(name)}</h3>
            <dl>
              {keys.map(([caps, label]) => (
                <div key={label}>
                  <dt>{t(label)}</dt>
                  <dd>
                    <KeyCaps keys={caps} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      {groups.length === 0 && <p className="hint">{t("nothingFound")}</p>}
    </Dialog>
  );
}
