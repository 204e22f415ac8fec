import type { ModelListing } from "./chat.ts";
import type { Model, ModelInfo } from "./model.ts";
import type { Provider } from "./provider.ts";

/** A vendor that is set up: it has a key, or needs none and answers. */
export interface ConnectedProvider {
  provider: Provider;
  baseUrl: string;
  key: string | undefined;
  /** The vendor's own model list, if it was fetched. */
  listed?: readonly ModelInfo[];
  /** Fetches the vendor's list again if it is old. Must not throw. */
  refresh?(): Promise<void>;
}

/** Keys of vendors, by the vendor's id. */
export type VendorKeys = Readonly<Record<string, string>>;

/** A vendor, with what one person has of it. */
export interface VendorListing {
  id: string;
  label: string;
  /** What it is for. */
  kind: "models" | "search";
  /** Whose key is used. Missing if there is none. */
  key?: "own" | "server";
  /** The last characters of the person's own key. */
  lastFour?: string;
  /** It runs on the computer of the server and needs no key. */
  local?: boolean;
  /** Where people make a key. */
  keyPage?: string;
  /** An administrator added it, and can remove it. */
  added?: boolean;
  /** How many models are on offer. */
  models: number;
  /** What a key would add. */
  offers?: ModelListing[];
}

/** What came of trying a key. `exhausted` if it is valid but used up, `unknown` if the vendor has nothing cheap to try it with. */
export interface KeyCheck {
  result: "works" | "exhausted" | "refused" | "unreachable" | "busy" | "unknown";
}

/** The models that are on offer. */
export interface ModelCatalogue {
  /**
   * The model with this id, or the default model. Throws INVALID_INPUT that lists the models. The person's own keys take
   * precedence over the server's and switch their vendors on.
   */
  resolve(id: string | undefined, keys?: VendorKeys): Model;
  /** The id of a model by its bare name, as other programs use it. Undefined if no vendor lists it. */
  named(name: string, keys?: VendorKeys): Promise<string | undefined>;
  defaultId(): string;
  /** The first of these models that the vendor offers, otherwise its best one. Undefined if the vendor is not set up. */
  offeredOf(
    vendor: string,
    names: readonly string[],
    makesImages: boolean,
    keys?: VendorKeys,
  ): string | undefined;
  /** The best model that makes images. */
  imageModel(keys?: VendorKeys): string | undefined;
  /** All available models. Vendors' lists are refreshed first. */
  list(keys?: VendorKeys): Promise<ModelListing[]>;
  /**
   * All vendors, those that are set up first, with what this person has of them. `isOffered` says which models they may use:
   * others are not listed, nor are vendors with no such model, unless the person has a key of theirs.
   */
  vendors(keys?: VendorKeys, isOffered?: (modelId: string) => boolean): VendorListing[];
  /** Tries a key, or without one what is set up, by a request that costs nothing. */
  checkKey(vendor: string, key: string | undefined, signal: AbortSignal): Promise<KeyCheck>;
  /** Replaces the servers that administrators added. */
  setServers(servers: readonly ConnectedProvider[]): void;
  connected(): readonly ConnectedProvider[];
  known(): readonly Provider[];
}
