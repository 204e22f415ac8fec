import type { ModelCatalogue, VendorKeys } from "../protocol/catalogue.ts";
import type { ModelListing } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import {
  isOffered,
  type ModelOffer,
  type ModelOffers,
  type PersonalModels,
} from "../protocol/model-offers.ts";
import type { Principal } from "../protocol/principal.ts";

const MOST_NAMED = 12;

export interface PersonalModelsParts {
  catalogue: ModelCatalogue;
  keysOf(userId: string): Promise<VendorKeys>;
  offers: Pick<ModelOffers, "to">;
}

/** Returns the catalogue as each person has it. */
export function createPersonalModels({ catalogue, keysOf, offers }: PersonalModelsParts) {
  return async (principal: Principal): Promise<PersonalModels> => {
    const [keys, offer] = await Promise.all([
      keysOf(principal.id),
      // The local owner is offered everything.
      principal.kind === "owner" ? {} : offers.to(principal),
    ]);
    return personalModels(catalogue, keys, offer);
  };
}

/** The catalogue with a person's keys, and without what is not offered to them. */
function personalModels(catalogue: ModelCatalogue, keys: VendorKeys, offer: ModelOffer): PersonalModels {
  const offered = async () => (await catalogue.list(keys)).filter(({ id }) => isOffered(offer, id));

  /** Returns the id of the default model. Undefined if the server's default is the person's too. */
  async function usual(): Promise<string | undefined> {
    if (offer.default !== undefined && isOffered(offer, offer.default) && isKnown(offer.default))
      return offer.default;
    if (!offer.models || isOffered(offer, catalogue.resolve(undefined, keys).id)) return undefined;
    const [first] = await offered();
    if (first) return first.id;
    throw new Failure("FORBIDDEN", "No model is offered to you on this server. Ask an administrator.", {
      details: { field: "model" },
    });
  }

  function isKnown(id: string): boolean {
    try {
      catalogue.resolve(id, keys);
      return true;
    } catch (thrown) {
      if (thrown instanceof Failure) return false; // Its vendor is not set up any more.
      throw thrown;
    }
  }

  async function list(): Promise<ModelListing[]> {
    const models = await offered();
    if (offer.default === undefined && !offer.models) return models;
    const best = models.length === 0 ? undefined : await usual();
    if (best === undefined) return models;
    return models.map((model) => ({ ...model, default: model.id === best }));
  }

  return {
    keys,
    list,
    async resolve(id) {
      const wanted = id ?? (await usual());
      const model = catalogue.resolve(wanted, keys);
      // What replaces a model that was shut down is the server's choice.
      if (!offer.models || isOffered(offer, model.id)) return model;
      if (wanted !== undefined && isOffered(offer, wanted)) return model;
      throw notOffered(wanted ?? model.id, await offered());
    },
    async named(name) {
      const found = offer.models
        ? (await offered()).find(({ id }) => id.slice(id.indexOf("/") + 1) === name)?.id
        : undefined;
      return found ?? catalogue.named(name, keys);
    },
  };
}

function notOffered(wanted: string, models: readonly ModelListing[]): Failure {
  const ids = models.slice(0, MOST_NAMED).map(({ id }) => id);
  const others = ids.length === 0 ? "Ask an administrator." : `You can use: ${ids.join(", ")}.`;
  return new Failure("FORBIDDEN", `The model ${wanted.slice(0, 100)} is not offered to you. ${others}`, {
    details: { field: "model" },
  });
}
