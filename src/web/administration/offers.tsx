import { useState } from "react";
import type { ModelOffer, OfferRole } from "../../protocol/model-offers.ts";
import { attempt } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/administration.ts";
import { number } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { useRoute } from "../ui/loaded.ts";
import { Table } from "../ui/table.tsx";
import { OfferDialog } from "./offer-dialog.tsx";
import { isInOffer, type OffersOfRoles } from "./offered-models.ts";
import { Section } from "./section.tsx";

const OFFER_ROLES = ["guest", "account", "admin"] as const;
const ROLES = { guest: "guests", account: "accounts", admin: "administrators" } as const;
/** The same within a sentence. */
const THE_ROLES = { guest: "theGuests", account: "theAccounts", admin: "theAdministrators" } as const;

/** Which models guests, accounts and administrators are offered. */
export function Offers({ turn }: { turn: number }) {
  const [changes, setChanges] = useState(0);
  const [editing, setEditing] = useState<OfferRole>();
  const offers = useRoute<OffersOfRoles>("/admin/models", turn + changes);
  if (!offers) return null;
  const { roles, models } = offers;
  const save = async (role: OfferRole, offer: ModelOffer) => {
    const done = await attempt(() => ask("PUT", `/admin/models/${role}`, offer));
    setChanges((count) => count + 1);
    if (done) setEditing(undefined);
  };
  const labelOf = (id: string | undefined) => models.find((model) => model.id === id)?.label ?? id;
  return (
    <Section title={t("modelsOffered")} hint={t("offersHint")}>
      <Table
        className="numbers-table"
        label={t("modelsOffered")}
        columns={[t("who"), t("modelsOffered"), t("usualModel")]}
        rows={OFFER_ROLES.map((role) => {
          const { models: only, default: usual } = roles[role];
          const part = models.filter(({ id }) => only && isInOffer(only, id)).length;
          return {
            key: role,
            cells: [
              t(ROLES[role]),
              only ? t("partOf", { part: number(part), whole: number(models.length) }) : t("allModels"),
              labelOf(usual) ?? t("serversDefault"),
            ],
          };
        })}
      />
      <p className="choices">
        {OFFER_ROLES.map((role) => (
          <Button key={role} onClick={() => setEditing(role)}>
            {t("modelsFor", { name: t(THE_ROLES[role]) })}
          </Button>
        ))}
      </p>
      {editing && (
        <OfferDialog
          name={t(THE_ROLES[editing])}
          offer={roles[editing]}
          models={models}
          otherwise={t("allModels")}
          onClose={() => setEditing(undefined)}
          onSave={(offer) => save(editing, offer)}
        />
      )}
    </Section>
  );
}

/** Which models one person is offered instead of their role's. */
export function PersonalOffer(props: {
  user: { id: string; email: string; models: ModelOffer };
  onClose(): void;
  onSave(offer: ModelOffer): void;
}) {
  const { user, onClose, onSave } = props;
  const offers = useRoute<OffersOfRoles>("/admin/models");
  if (!offers) return null;
  return (
    <OfferDialog
      name={user.email}
      offer={user.models}
      models={offers.models}
      otherwise={t("likeRole")}
      onClose={onClose}
      onSave={onSave}
    />
  );
}
