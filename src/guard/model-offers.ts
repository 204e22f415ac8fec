import { type ModelOffer, type ModelOffers, modelOffer, type OfferRole } from "../protocol/model-offers.ts";
import type { Store } from "../protocol/store.ts";
import { readStored } from "../protocol/stored.ts";
import { roleSubject } from "./role-subject.ts";

/** People cannot change a setting with this name themselves. */
const SETTING = "account:models";

/** Keeps who is offered which models in the store, so that every instance applies a change at once. */
export function createModelOffers(
  store: Pick<Store, "getSettings" | "getSettingsOfEach" | "putSetting">,
): ModelOffers {
  async function of(subject: string): Promise<ModelOffer | undefined> {
    const stored = (await store.getSettings(subject))[SETTING];
    return stored === undefined ? undefined : readStored(modelOffer, stored, `The models of ${subject}`);
  }
  async function change(subject: string, { models, default: usual }: ModelOffer): Promise<ModelOffer> {
    const offer = {
      ...(models ? { models: [...new Set(models)] } : {}),
      ...(usual === undefined ? {} : { default: usual }),
    };
    await store.putSetting(subject, SETTING, Object.keys(offer).length === 0 ? undefined : offer);
    return offer;
  }
  const ofRole = async (role: OfferRole) => (await of(roleSubject(role))) ?? {};
  return {
    ofRole,
    ofPerson: async (userId) => (await of(userId)) ?? {},
    async ofEach(userIds) {
      const settings = await store.getSettingsOfEach(userIds, [SETTING]);
      const read = (value: unknown, id: string) => readStored(modelOffer, value, `The models of ${id}`);
      return new Map([...settings].map(([id, own]) => [id, read(own[SETTING], id)]));
    },
    changeRole: (role, offer) => change(roleSubject(role), offer),
    changePerson: change,
    async to({ id, kind, role }) {
      if (kind === "owner") return {};
      const [own, usual] = await Promise.all([of(id), ofRole(role ?? kind)]);
      return { ...usual, ...own };
    },
  };
}
