import "../style/choosing.css";
import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { VendorListing } from "../../protocol/catalogue.ts";
import type { ModelListing } from "../../protocol/chat.ts";
import { goToSettings } from "../shell/address.ts";
import { chooseModel, useModel } from "../state/model-choice.ts";
import { person } from "../state/person.ts";
import { preferences } from "../state/preferences.ts";
import { view } from "../state/view.ts";
import { t } from "../text/choosing.ts";
import { compact } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Floating } from "../ui/floating.tsx";
import { Icon } from "../ui/icons.tsx";
import { movedBy } from "../ui/list-keys.ts";
import { useRoute } from "../ui/loaded.ts";
import { type ModelRow, modelGroups, modelRows, priceText } from "./model-rows.ts";

const PHONE = "(max-width: 759px), (pointer: coarse)";
/** Rows beyond the visible part, so that a quick scroll shows no gap. */
const SPARE = 160;
/** Above and below the rows. */
const PADDING = 8;
/** The most that is visible at once. */
const VISIBLE = 480;

interface Props {
  anchor: RefObject<HTMLElement | null>;
  /** `back` if the focus returns to the button. */
  onClose(back: boolean): void;
}

/** All models, with a field to search them. Only the visible rows are in the page. */
export function ModelList({ anchor, onClose }: Props) {
  const id = useId();
  const models = person((state) => state.models);
  const used = preferences((state) => state.recentModels);
  const vendors = useRoute<{ vendors: VendorListing[] }>("/me/vendors")?.vendors;
  const current = useModel();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const recent = useMemo(() => [...new Set([current?.id ?? "", ...used])].slice(0, 3), [current, used]);
  const groups = useMemo(
    () => modelGroups({ models, recent, vendors: vendors ?? [] }),
    [models, recent, vendors],
  );
  const rows = useMemo(() => modelRows(groups, query), [groups, query]);
  const choices = rows.flatMap((row, index) => (row.type === "model" ? [index] : []));
  const marked = choices[Math.min(at, choices.length - 1)];
  const count = models.length + (vendors ?? []).reduce((sum, { offers = [] }) => sum + offers.length, 0);

  useLayoutEffect(() => {
    // On a phone the keyboard would cover the list.
    if (!matchMedia(PHONE).matches) field.current?.focus();
  }, []);

  function choose(row: ModelRow | undefined): void {
    if (row?.type !== "model") return;
    onClose(row.needs === undefined);
    if (row.needs === undefined) chooseModel(row.model.id);
    else {
      view.setState({ vendor: row.needs });
      goToSettings("keys");
    }
  }

  function onKeyDown(event: KeyboardEvent): void {
    const moved = movesText(event) ? undefined : movedBy(event.key, at, choices.length);
    if (moved !== undefined) setAt(moved);
    else if (event.key === "Enter") choose(marked === undefined ? undefined : rows[marked]);
    else if (event.key === "Escape") onClose(true);
    else {
      if (event.key === "Tab") onClose(false);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <Floating
      anchor={anchor}
      align="end"
      heading={t("model")}
      onClose={() => onClose(false)}
      className="model-list"
      onKeyDown={onKeyDown}
    >
      <label className="find">
        <Icon name="search" size="small" />
        <input
          ref={field}
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={marked === undefined ? undefined : `${id}-${marked}`}
          aria-label={t("searchModels", { count })}
          placeholder={t("searchModels", { count })}
          value={query}
          autoComplete="off"
          onChange={({ target }) => {
            setQuery(target.value);
            setAt(0);
          }}
        />
      </label>
      <Rows
        id={id}
        rows={rows}
        marked={marked}
        current={current}
        mark={(index) => setAt(choices.indexOf(index))}
        choose={choose}
      />
      <footer>
        <span>{t("chooseByKeys")}</span>
        <Button
          className="link"
          onClick={() => {
            onClose(false);
            goToSettings("keys");
          }}
        >
          {t("manageModels")}
        </Button>
      </footer>
    </Floating>
  );
}

/** True if Home or End still has a way to go in the text. At its end they move in the list instead. */
function movesText({ key, shiftKey, target }: KeyboardEvent): boolean {
  if ((key !== "Home" && key !== "End") || !(target instanceof HTMLInputElement)) return false;
  const end = key === "Home" ? 0 : target.value.length;
  return shiftKey || target.selectionStart !== end || target.selectionEnd !== end;
}

interface RowsProps {
  id: string;
  rows: readonly ModelRow[];
  marked: number | undefined;
  current: ModelListing | undefined;
  mark(index: number): void;
  choose(row: ModelRow): void;
}

/** Draws the rows that can be seen. */
function Rows({ id, rows, marked, current, mark, choose }: RowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const height = matchMedia(PHONE).matches ? 52 : 40;
  const starts = useMemo(() => startsOf(rows, height), [rows, height]);
  const total = starts.at(-1) ?? 0;

  useLayoutEffect(() => {
    const list = box.current;
    if (marked === undefined || !list) return;
    const hasHeading = rows[marked - 1]?.type === "heading";
    const start = starts[hasHeading ? marked - 1 : marked] ?? 0;
    const end = (starts[marked + 1] ?? 0) + PADDING;
    if (start < list.scrollTop) list.scrollTop = start;
    else if (end > list.scrollTop + list.clientHeight) list.scrollTop = end - list.clientHeight;
    setTop(list.scrollTop);
  }, [marked, starts, rows]);

  if (rows.length === 0) return <p className="hint model-rows">{t("noModelFound")}</p>;
  return (
    <div
      ref={box}
      id={`${id}-list`}
      role="listbox"
      aria-label={t("model")}
      className="model-rows"
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <div role="presentation" style={{ blockSize: total }}>
        {rows.map((row, index) => {
          const start = starts[index] ?? 0;
          if ((starts[index + 1] ?? 0) < top - SPARE || start > top + VISIBLE + SPARE) return null;
          const style = { insetBlockStart: start };
          if (row.type === "heading")
            return (
              <p key={`${row.text} ${start}`} role="presentation" className="group" style={style}>
                <span>{row.text}</span>
                {row.note && <span className="group-note">{row.note}</span>}
                {index === 0 && <span className="group-price">{t("perMillionTokens")}</span>}
              </p>
            );
          return (
            <ModelChoice
              key={row.model.id}
              id={`${id}-${index}`}
              row={row}
              style={style}
              marked={index === marked}
              chosen={row.model.id === current?.id}
              mark={() => index !== marked && mark(index)}
              choose={() => choose(row)}
            />
          );
        })}
      </div>
    </div>
  );
}

interface ChoiceProps {
  id: string;
  row: Extract<ModelRow, { type: "model" }>;
  style: { insetBlockStart: number };
  marked: boolean;
  chosen: boolean;
  mark(): void;
  choose(): void;
}

function ModelChoice({ id, row, style, marked, chosen, mark, choose }: ChoiceProps) {
  const { model, tags, needs } = row;
  const window = model.contextWindow;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field above has the keys and the focus
    <div
      id={id}
      role="option"
      aria-selected={chosen}
      data-at={marked}
      data-locked={needs !== undefined}
      style={style}
      title={window === undefined ? undefined : t("contextWindow", { window: compact(window) })}
      onPointerDown={(event) => event.preventDefault()}
      onPointerMove={mark}
      onClick={choose}
    >
      <span className="model-facts">
        <span className="model-name">{model.label}</span>
        {tags.length > 0 && (
          <span className="tags">
            {tags.map((tag) => (
              <span key={tag} className="tag">
                {tag}
              </span>
            ))}
          </span>
        )}
      </span>
      <span className="price">{needs === undefined ? priceText(model) : t("addKey")}</span>
      <span className="tick">{chosen && <Icon name="check" size="small" />}</span>
    </div>
  );
}

/** Returns where each row begins, and where the last one ends. */
function startsOf(rows: readonly ModelRow[], height: number): number[] {
  const starts = [0];
  for (const { type } of rows) starts.push((starts.at(-1) ?? 0) + (type === "heading" ? 32 : height));
  return starts;
}
