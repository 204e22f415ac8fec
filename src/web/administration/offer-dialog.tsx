import { useState } from "react";
import type { ModelOffer } from "../../protocol/model-offers.ts";
import { t } from "../text/administration.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Choices, ShortField } from "../ui/form.tsx";
import { Select } from "../ui/select.tsx";
import { isInOffer, type OfferedModel, vendorOf } from "./offered-models.ts";

interface OfferDialogProps {
  name: string;
  offer: ModelOffer;
  models: readonly OfferedModel[];
  /** What applies without a list: all models, or for a person those of their role. */
  otherwise: string;
  onClose(): void;
  onSave(offer: ModelOffer): void;
}

/** Which models a role or a person is offered, and their default. */
export function OfferDialog({ name, offer, models, otherwise, onClose, onSave }: OfferDialogProps) {
  const [limited, setLimited] = useState(offer.models !== undefined);
  const [chosen, setChosen] = useState<readonly string[]>(offer.models ?? []);
  const [usual, setUsual] = useState(offer.default ?? "");
  const offered = limited ? models.filter(({ id }) => isInOffer(chosen, id)) : models;
  const isEmpty = limited && chosen.length === 0;
  const isUsable = usual === "" || offered.some(({ id }) => id === usual);
  return (
    <Dialog title={t("modelsFor", { name })} onClose={onClose} className="narrow">
      <form
        className="fields offer"
        onSubmit={(event) => {
          event.preventDefault();
          if (isEmpty) return;
          onSave({
            ...(limited ? { models: [...chosen] } : {}),
            ...(usual !== "" && isUsable ? { default: usual } : {}),
          });
        }}
      >
        {[false, true].map((only) => (
          <label key={String(only)} className="offer-row">
            <input type="radio" name="limited" checked={limited === only} onChange={() => setLimited(only)} />
            {only ? t("onlyThese") : otherwise}
          </label>
        ))}
        {limited && <ModelChoices models={models} chosen={chosen} setChosen={setChosen} />}
        {isEmpty && <p className="hint">{t("chooseAModel")}</p>}
        <Select<string>
          label={t("usualModel")}
          value={isUsable ? usual : ""}
          options={[
            { value: "", text: t("serversDefault") },
            ...offered.map(({ id, label }) => ({ value: id, text: label })),
          ]}
          onChoose={setUsual}
        />
        <Choices action={t("save")} disabled={isEmpty} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

interface ChoicesProps {
  models: readonly OfferedModel[];
  chosen: readonly string[];
  setChosen(chosen: readonly string[]): void;
}

function ModelChoices({ models, chosen, setChosen }: ChoicesProps) {
  const [query, setQuery] = useState("");
  const wanted = query.trim().toLowerCase();
  const vendors = [...Map.groupBy(models, vendorOf)];
  const listed = new Set([...models.map(({ id }) => id), ...vendors.map(([vendor]) => `${vendor}/*`)]);
  const toggle = (value: string, on: boolean) =>
    setChosen(on ? [...chosen, value] : chosen.filter((one) => one !== value));
  const row = (value: string, text: string, covered = false) => (
    <label key={value} className="offer-row">
      <input
        type="checkbox"
        checked={covered || chosen.includes(value)}
        disabled={covered}
        onChange={({ target }) => toggle(value, target.checked)}
      />
      {text}
    </label>
  );
  return (
    <>
      <ShortField
        label={t("findModels")}
        type="search"
        value={query}
        onChange={({ target }) => setQuery(target.value)}
      />
      <fieldset className="offer-list" aria-label={t("modelsOffered")}>
        {chosen.filter((one) => !listed.has(one)).map((one) => row(one, one))}
        {vendors.map(([vendor, own]) => {
          const label = own[0]?.vendor ?? vendor;
          const found = own.filter(({ label: name, id }) =>
            `${label} ${name} ${id}`.toLowerCase().includes(wanted),
          );
          if (found.length === 0) return null;
          const all = chosen.includes(`${vendor}/*`);
          return (
            <div key={vendor}>
              {row(`${vendor}/*`, t("allOf", { vendor: label }))}
              <div className="offer-models">{found.map(({ id, label: name }) => row(id, name, all))}</div>
            </div>
          );
        })}
      </fieldset>
    </>
  );
}
