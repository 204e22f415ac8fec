import { Failure } from "../../protocol/failure.ts";
import { modelOffer, OFFER_ROLES, type OfferRole } from "../../protocol/model-offers.ts";
import { administrator, checkPerson } from "../administrator.ts";
import { aboutAct } from "../audited.ts";
import { readRequest } from "../body.ts";
import { pathParameter, type Route, route } from "../context.ts";
import { administrationOf } from "../dependencies.ts";

/** Who is offered which models, for administrators. */
export function modelOfferRoutes(): Route[] {
  return [
    route("GET /admin/models", async (c) => {
      await administrator(c);
      const { offers, models } = administrationOf(c);
      const [guest, account, admin] = await Promise.all(OFFER_ROLES.map((role) => offers.ofRole(role)));
      const listed = (await models()).map(({ id, label, vendor }) => ({ id, label, vendor }));
      return c.json({ roles: { guest, account, admin }, models: listed });
    }),
    route("PUT /admin/models/:role", async (c) => {
      const offer = await readRequest(c, modelOffer);
      await administrator(c);
      const role = readRole(pathParameter(c, "role"));
      aboutAct(c, { subject: { role, models: offer.models?.length, default: offer.default } });
      return c.json({ role, ...(await administrationOf(c).offers.changeRole(role, offer)) });
    }),
    route("PUT /admin/users/:id/models", async (c) => {
      const offer = await readRequest(c, modelOffer);
      await administrator(c);
      const id = pathParameter(c, "id");
      await checkPerson(c, id);
      aboutAct(c, { subject: { models: offer.models?.length, default: offer.default } });
      return c.json({ id, ...(await administrationOf(c).offers.changePerson(id, offer)) });
    }),
  ];
}

function readRole(given: string): OfferRole {
  const role = OFFER_ROLES.find((one) => one === given);
  if (role) return role;
  throw new Failure("NOT_FOUND", `There is no such role. The roles are: ${OFFER_ROLES.join(", ")}.`);
}
