import type { ConnectedProvider } from "../protocol/catalogue.ts";
import type { ModelInfo } from "../protocol/model.ts";
import { describeModel, withoutDate } from "./wire/families.ts";

/** Variants that are weaker, unfinished, dearer or made for one purpose: none of them is a good default. */
const SPECIAL =
  /mini|nano|lite|tiny|preview|\bexp\b|beta|alpha|search|fast|cyber|\bpro\b|custom|coder?\b|codex|free|batch|chat|non-reasoning|multi-agent/;

/** The last result for each vendor, because every message asks: 0.07 ms instead of 2.1 with a list of 400 models. */
const offered = new WeakMap<
  ConnectedProvider,
  { listed: ConnectedProvider["listed"]; today: string; models: readonly ModelInfo[] }
>();

/**
 * Returns the models of a vendor, best first. The vendor's list is believed: what it does not name is not offered, and what it
 * names but we do not know comes last. Without a list, all known models are offered that have not been shut down.
 */
export function offeredModels(connection: ConnectedProvider, today: string): readonly ModelInfo[] {
  const { listed } = connection;
  const last = offered.get(connection);
  if (last && last.listed === listed && last.today === today) return last.models;
  const models = findOffered(connection, today);
  offered.set(connection, { listed, today, models });
  return models;
}

function findOffered({ provider, listed = [] }: ConnectedProvider, today: string): ModelInfo[] {
  if (listed.length === 0) return provider.models.filter((model) => !isShutDown(model, today));
  const named = new Map(listed.map((model) => [model.name, model]));
  const known = provider.models.flatMap(
    ({ name }) => named.get(name) ?? listed.find((one) => withoutDate(one.name) === withoutDate(name)) ?? [],
  );
  return [...new Set([...known, ...listed])]
    .map((model) => describeModel(provider, model.name, model))
    .filter(({ retirement }) => !retirement?.over);
}

/** Returns what is known about a model, whether it is offered or not. */
export function modelOf({ provider, listed = [] }: ConnectedProvider, name: string): ModelInfo {
  return describeModel(
    provider,
    name,
    listed.find((model) => model.name === name),
  );
}

/** Returns the vendor's best model for a conversation: the first known one that stays, otherwise the newest. */
export function bestModel(connection: ConnectedProvider, today: string): ModelInfo | undefined {
  const { provider } = connection;
  const talking = offeredModels(connection, today).filter(({ outputsImages }) => !outputsImages);
  const able = talking.filter(({ supportsTools }) => supportsTools !== false);
  const candidates = able.length > 0 ? able : talking;
  if (provider.models.length === 0) return candidates[0];
  const names = new Set(provider.models.map(({ name }) => withoutDate(name)));
  const staying = candidates.filter(({ retirement }) => !retirement);
  return staying.find(({ name }) => names.has(withoutDate(name))) ?? newestOf(staying) ?? candidates[0];
}

/** Returns the first model that makes images and stays. */
export function bestImageModel(connection: ConnectedProvider, today: string): ModelInfo | undefined {
  const makers = offeredModels(connection, today).filter(({ outputsImages }) => outputsImages);
  return makers.find(({ retirement }) => !retirement) ?? makers[0];
}

/** Returns the model to use instead of one that the vendor has shut down. Undefined if it has not. */
export function successorOf(connection: ConnectedProvider, name: string, today: string): string | undefined {
  const isNamed = connection.listed?.some((model) => model.name === name);
  const model = modelOf(connection, name);
  const isGone = model.retirement?.over || (!isNamed && isShutDown(model, today));
  return isGone ? replacementFor(connection, model, today) : undefined;
}

/** Returns the model that the vendor or our table recommends instead, if it is offered, otherwise the vendor's best. */
export function replacementFor(
  connection: ConnectedProvider,
  { retirement, outputsImages }: ModelInfo,
  today: string,
): string | undefined {
  const named = retirement?.successor;
  if (named !== undefined && offeredModels(connection, today).some(({ name }) => name === named))
    return named;
  return (outputsImages ? bestImageModel(connection, today) : bestModel(connection, today))?.name;
}

function isShutDown({ retirement }: ModelInfo, today: string): boolean {
  return retirement?.over === true || (retirement?.date !== undefined && retirement.date <= today);
}

function newestOf(models: readonly ModelInfo[]): ModelInfo | undefined {
  return models.toSorted(
    (left, right) =>
      Number(SPECIAL.test(left.name)) - Number(SPECIAL.test(right.name)) ||
      versionIn(right.name) - versionIn(left.name) ||
      (right.released ?? 0) - (left.released ?? 0),
  )[0];
}

/** Returns the first number in a name: 5.5 in `claude-opus-5-5-20260901`. */
function versionIn(name: string): number {
  const [, major = "0", minor = "0"] = /(\d+)(?:[-.](\d{1,2}))?(?!\d)/.exec(withoutDate(name)) ?? [];
  return Number(`${major}.${minor}`);
}
