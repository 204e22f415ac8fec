import type { ModelListing } from "./chat.ts";
import type { Model, ModelInfo, Provider } from "./model.ts";

/** A vendor that is set up: it has its key, or needs none and answers. */
export interface ConnectedProvider {
  provider: Provider;
  baseUrl: string;
  key: string | undefined;
  /** What the vendor itself lists, where it was asked. */
  listed?: readonly ModelInfo[];
  /** Asks the vendor for its list, where that was long ago. Must not throw. */
  refresh(): Promise<void>;
}

/** Keys of vendors, by the vendor's id. */
export type VendorKeys = Readonly<Record<string, string>>;

/** The models that are on offer. */
export interface ModelCatalogue {
  /**
   * The model of this id, or the default one. Throws INVALID_INPUT that says which there are. With keys of the person's
   * own, by vendor, those are used before the server's, and their vendors are on.
   */
  resolve(id: string | undefined, keys?: VendorKeys): Model;
  /** The id of a model by its bare name, the way other programs name models; undefined where no vendor lists it. */
  named(name: string, keys?: VendorKeys): Promise<string | undefined>;
  defaultId(): string;
  /** All models there are now; vendors are asked for theirs. */
  list(keys?: VendorKeys): Promise<ModelListing[]>;
  connected(): readonly ConnectedProvider[];
  known(): readonly Provider[];
}
