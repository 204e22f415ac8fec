import { z } from "zod";
import type { VendorKeys } from "./catalogue.ts";
import type { ModelListing } from "./chat.ts";
import type { Model } from "./model.ts";
import type { Principal } from "./principal.ts";

/** Whom models are offered to. */
export const OFFER_ROLES = ["guest", "account", "admin"] as const;
export type OfferRole = (typeof OFFER_ROLES)[number];

const MOST_PATTERNS = 200;
const pattern = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\S+$/, "must be provider/model or a pattern such as openai/*");
const modelId = z.string().regex(/^[^/\s]+\/\S+$/, "must be provider/model");

/** The models that somebody is offered: ids, and patterns in which `*` stands for anything. Without `models`, all of them. */
export const modelOffer = z.strictObject({
  models: z.array(pattern).min(1).max(MOST_PATTERNS).optional(),
  /** The model that answers if none is named. */
  default: modelId.optional(),
});
export type ModelOffer = z.output<typeof modelOffer>;

/** Who is offered which models, as administrators set it. */
export interface ModelOffers {
  /** What applies to somebody: their own offer, otherwise their role's. The local owner is offered everything. */
  to(principal: Pick<Principal, "id" | "kind" | "role">): Promise<ModelOffer>;
  ofRole(role: OfferRole): Promise<ModelOffer>;
  ofPerson(userId: string): Promise<ModelOffer>;
  /** The same for several people at once. Who has none is missing. */
  ofEach(userIds: readonly string[]): Promise<Map<string, ModelOffer>>;
  changeRole(role: OfferRole, offer: ModelOffer): Promise<ModelOffer>;
  changePerson(userId: string, offer: ModelOffer): Promise<ModelOffer>;
}

/** The models as one person has them, with their own keys. */
export interface PersonalModels {
  /** The person's own keys. */
  readonly keys: VendorKeys;
  /** The model with this id, or the person's default. Throws INVALID_INPUT if there is none, and FORBIDDEN if it is not offered to them. */
  resolve(id: string | undefined): Promise<Model>;
  /** The id of a model by its bare name. Undefined if no vendor lists it. */
  named(name: string): Promise<string | undefined>;
  list(): Promise<ModelListing[]>;
}

/** Whether an offer contains a model. */
export function isOffered({ models }: ModelOffer, id: string): boolean {
  return models?.some((one) => matches(one, id)) ?? true;
}

function matches(wanted: string, id: string): boolean {
  const [first = "", ...others] = wanted.split("*");
  if (others.length === 0) return wanted === id;
  const last = others.pop() ?? "";
  if (!id.startsWith(first) || !id.endsWith(last) || id.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of others) {
    const found = id.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= id.length - last.length;
}
