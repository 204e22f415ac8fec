import type { VendorListing } from "../../protocol/catalogue.ts";
import type { ModelListing } from "../../protocol/chat.ts";
import { t } from "../text/choosing.ts";
import { money } from "../text/t.ts";

export type ModelRow =
  | { type: "heading"; text: string; note?: string }
  | {
      type: "model";
      model: ModelListing;
      tags: string[] /** The vendor that needs a key first. */;
      needs?: string;
    };

export interface ModelGroup {
  heading: Extract<ModelRow, { type: "heading" }>;
  rows: { row: Extract<ModelRow, { type: "model" }> /** What a search finds it by. */; text: string }[];
}

interface Known {
  models: readonly ModelListing[];
  /** Ids, the last used first. */
  recent: readonly string[];
  vendors: readonly VendorListing[];
}

/** Returns what was used last, then all others by vendor, those that need a key at the end. */
export function modelGroups({ models, recent, vendors }: Known): ModelGroup[] {
  const used = recent.flatMap((id) => models.find((model) => model.id === id) ?? []);
  const others = models.filter((model) => !used.includes(model));
  const recentGroup = groupOf(t("recentModels"), used, { note: keyNote(used) });
  return [recentGroup, ...groupsOf(others), ...lockedGroups(vendors)];
}

/** Returns the rows of the list that have every word in their name, vendor or tags. */
export function modelRows(groups: readonly ModelGroup[], query: string): ModelRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return groups.flatMap(({ heading, rows }) => {
    const found = rows.filter(({ text }) => words.every((word) => text.includes(word)));
    return found.length > 0 ? [heading, ...found.map(({ row }) => row)] : [];
  });
}

/** Returns the price of a million tokens in and out. */
export function priceText({ price, local }: ModelListing): string {
  if (local || (price && price.input === 0 && price.output === 0)) return t("free");
  return price ? `${dollarText(price.input)} / ${dollarText(price.output)}` : "";
}

function groupsOf(models: readonly ModelListing[]): ModelGroup[] {
  const groups = [...Map.groupBy(models, (model) => model.vendor ?? "")].map(([vendor, all]) =>
    groupOf(vendor, all, { note: keyNote(all) }),
  );
  // The demo model is there to look around.
  const isDemo = ({ rows }: ModelGroup) => rows[0]?.row.model.id === "demo/demo";
  return groups.sort(
    (left, right) =>
      Number(isDemo(left)) - Number(isDemo(right)) || left.heading.text.localeCompare(right.heading.text),
  );
}

/** Says where the key of all these models comes from, if it is the same place. */
function keyNote(models: readonly ModelListing[]): string | undefined {
  const [key, ...others] = new Set(models.map((model) => model.key));
  return key && others.length === 0 ? t(key === "own" ? "yourKey" : "serverKey") : undefined;
}

function lockedGroups(vendors: readonly VendorListing[]): ModelGroup[] {
  return vendors
    .filter(({ offers = [] }) => offers.length > 0)
    .sort((left, right) => left.label.localeCompare(right.label))
    .map(({ id, label, offers = [] }) => groupOf(label, offers, { needs: id }));
}

function groupOf(
  text: string,
  models: readonly ModelListing[],
  { note, needs }: { note?: string | undefined; needs?: string } = {},
): ModelGroup {
  return {
    heading: { type: "heading", text, ...(note && { note }) },
    rows: models.map((model) => {
      const tags = tagsOf(model);
      const found = [model.label, model.id, model.vendor ?? "", ...tags].join(" ").toLowerCase();
      return { row: { type: "model", model, tags, ...(needs && { needs }) }, text: found };
    }),
  };
}

function tagsOf({ supportsImages, supportsReasoning, contextWindow, local, deprecated }: ModelListing) {
  return [
    ...(local ? [t("tagLocal")] : []),
    ...(supportsImages && !local ? [t("tagImages")] : []),
    ...(supportsReasoning ? [t("tagThinks")] : []),
    ...(contextWindow === undefined ? [] : [windowText(contextWindow)]),
    ...(deprecated ? [t("tagEnding")] : []),
  ];
}

/** Returns how many tokens fit: 1M, 200K. */
function windowText(tokens: number): string {
  const isMillions = tokens >= 1_000_000;
  return `${Math.floor(tokens / (isMillions ? 1_000_000 : 1_000))}${isMillions ? "M" : "K"}`;
}

function dollarText(value: number): string {
  if (Number.isInteger(value)) return money(value, 0);
  return money(value, value < 0.01 ? -Math.floor(Math.log10(value)) : 2);
}
