import "../style/choosing.css";
import { useEffect, useState } from "react";
import type { KeyCheck, VendorListing } from "../../protocol/catalogue.ts";
import { ModelPicker } from "../choosing/model-picker.tsx";
import { keyChanges } from "../state/account-changes.ts";
import { attempt, notify } from "../state/notices.ts";
import { mayAdminister, person, refreshModelsAndTools } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { view } from "../state/view.ts";
import { t } from "../text/choosing.ts";
import { Button } from "../ui/button.tsx";
import { useForm } from "../ui/form.tsx";
import { Icon } from "../ui/icons.tsx";
import { useRoute } from "../ui/loaded.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { AddChip } from "./add-chip.tsx";
import { ModelServerForm } from "./model-server-form.tsx";

/** What is open while a server is added. No vendor is called that. */
const SERVER = "+";
type Result = KeyCheck["result"];
/** What the server takes as a key. Quotes and spaces come along when a key is copied from a text. */
const LOOKS_LIKE_KEY = /^[\x21-\x7e]{8,500}$/;
const FAILED = {
  exhausted: "keyExhausted",
  refused: "keyRefused",
  unreachable: "keyUnreachable",
  busy: "keyBusy",
} as const;

/** Services whose models the person can use, with their keys, and those that a key would add. */
export function ModelsAndKeysSettings() {
  const [turn, setTurn] = useState(0);
  // Another page of the person may change them too.
  const changes = keyChanges();
  const vendors = useRoute<{ vendors: VendorListing[] }>("/me/vendors", turn + changes)?.vendors;
  const [open, setOpen] = useState(view.getState().vendor);
  const isAdministrator = mayAdminister(person((state) => state.me));
  const { results, check, note } = useChecks(vendors);
  useEffect(() => view.setState({ vendor: undefined }), []);
  if (!vendors) return <p className="hint">{t("loading")}</p>;
  const connected = vendors.filter(isConnected);
  const others = vendors.filter((vendor) => !isConnected(vendor));
  const opened = others.find(({ id }) => id === open);

  async function changed(): Promise<void> {
    setOpen(undefined);
    setTurn(turn + 1);
    await refreshModelsAndTools();
  }

  async function remove({ id, label, added }: VendorListing): Promise<void> {
    if (added) await ask("DELETE", `/admin/model-servers/${encodeURIComponent(id)}`);
    else await ask("PUT", "/me/settings", { keys: { [id]: null } });
    notify({ text: added ? t("removedSource", { name: label }) : t("keyRemoved", { vendor: label }) });
    await changed();
  }

  const form = (vendor: VendorListing) => (
    <KeyForm
      vendor={vendor}
      onChecked={(result) => note(vendor.id, result)}
      onSaved={changed}
      onCancel={() => setOpen(undefined)}
    />
  );
  return (
    <>
      {connected.length === 0 && !opened && <p className="hint">{t("noVendors")}</p>}
      <ul className="settings-rows vendors">
        {connected.map((vendor) => (
          <li key={vendor.id}>
            <Logo label={vendor.label} />
            <div className="grow">
              <b>{vendor.label}</b>
              <small>{factsOf(vendor)}</small>
              {open === vendor.id && form(vendor)}
            </div>
            {open !== vendor.id && <State result={results[vendor.id]} />}
            <Menu
              label={t("actionsFor", { name: vendor.label })}
              items={actionsFor(vendor, isAdministrator, {
                check,
                edit: setOpen,
                remove: (one) => void attempt(() => remove(one)),
              })}
            >
              <Icon name="more" />
            </Menu>
          </li>
        ))}
        {opened && (
          <li>
            <Logo label={opened.label} />
            <div className="grow">
              <b>{opened.label}</b>
              {opened.keyPage && <small>{t("makeKeyAt", { place: opened.keyPage })}</small>}
              {form(opened)}
            </div>
          </li>
        )}
      </ul>
      <h4>{t("addAnother")}</h4>
      <p className="vendor-chips">
        {others
          .filter((vendor) => vendor !== opened)
          .map(({ id, label }) => (
            <Button key={id} onClick={() => setOpen(id)}>
              <Icon name="plus" size="tiny" />
              {label}
            </Button>
          ))}
        {isAdministrator && open !== SERVER && (
          <AddChip label={t("addModelServer")} onClick={() => setOpen(SERVER)} />
        )}
      </p>
      {open === SERVER && <ModelServerForm onSaved={changed} onCancel={() => setOpen(undefined)} />}
      <h4>{t("defaultModel")}</h4>
      <ModelPicker />
    </>
  );
}

interface Acts {
  check(id: string): void;
  edit(id: string): void;
  remove(vendor: VendorListing): void;
}

function actionsFor(
  vendor: VendorListing,
  isAdministrator: boolean,
  { check, edit, remove }: Acts,
): MenuItem[] {
  const { id, key, local, added } = vendor;
  const again: MenuItem = { label: t("checkAgain"), icon: "retry", run: () => check(id) };
  const other: MenuItem = {
    label: t(key === "own" ? "replaceKey" : "useOwnKey"),
    icon: "key",
    run: () => edit(id),
  };
  const gone: MenuItem = {
    label: t(added ? "remove" : "removeKey"),
    icon: "trash",
    danger: true,
    apart: true,
    run: () => remove(vendor),
  };
  return [
    again,
    ...(local || added || key === undefined ? [] : [other]),
    ...(key === "own" || (added && isAdministrator) ? [gone] : []),
  ];
}

/** Tries what is connected, one after the other, and again when asked to. Search services are not: that may cost something. */
function useChecks(vendors: readonly VendorListing[] | undefined) {
  const [results, setResults] = useState<Record<string, Result | "checking">>({});
  const note = (id: string, result: Result | "checking") =>
    setResults((before) => ({ ...before, [id]: result }));

  async function check(id: string): Promise<void> {
    note(id, "checking");
    const { result } = await checkKey(id).catch(() => ({ result: "busy" as const }));
    note(id, result);
  }

  const listing = JSON.stringify(vendors);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another list is tried again
  useEffect(() => {
    let current = true;
    async function all(): Promise<void> {
      for (const vendor of vendors ?? [])
        if (current && vendor.kind === "models" && isConnected(vendor)) await check(vendor.id);
    }
    void all();
    return () => {
      current = false;
    };
  }, [listing]);
  return { results, note, check: (id: string) => void check(id) };
}

function State({ result }: { result: Result | "checking" | undefined }) {
  if (result === undefined || result === "unknown") return null;
  if (result === "checking") return <span className="hint">{t("keyChecking")}</span>;
  if (result === "works")
    return (
      <span className="works">
        <Icon name="check" size="small" />
        {t("keyWorks")}
      </span>
    );
  return (
    <span className="works-not">
      <Icon name="warning" size="small" />
      {t(`${FAILED[result]}Short`)}
    </span>
  );
}

interface KeyFormProps {
  vendor: VendorListing;
  /** What came of a key that is not tried again by itself. */
  onChecked(result: Result): void;
  onSaved(): Promise<void>;
  onCancel(): void;
}

/** Tries a key and stores it if it works. */
function KeyForm({ vendor: { id, label, kind }, onChecked, onSaved, onCancel }: KeyFormProps) {
  const { problem, busy, submit } = useForm(async (field) => {
    const key = field("key").trim();
    if (!LOOKS_LIKE_KEY.test(key)) throw new Error(t("keyMistyped"));
    const { result } = await checkKey(id, key);
    if (result === "refused" || result === "unreachable" || result === "busy")
      throw new Error(t(FAILED[result], { vendor: label }));
    await ask("PUT", "/me/settings", { keys: { [id]: key } });
    notify({ text: t(result === "exhausted" ? "keyExhausted" : "keySaved", { vendor: label }) });
    if (kind === "search") onChecked(result);
    await onSaved();
  });
  return (
    <form className="key-form" onSubmit={submit}>
      <input
        name="key"
        type="password"
        required
        autoComplete="off"
        spellCheck={false}
        aria-label={t("keyFor", { vendor: label })}
        placeholder={t("pasteKey")}
        autoFocus
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          onCancel();
        }}
      />
      <button type="submit" className="primary" disabled={busy}>
        {t(busy ? "keyChecking" : "checkAndSave")}
      </button>
      <Button className="quiet" onClick={onCancel}>
        {t("cancel")}
      </Button>
      {problem}
    </form>
  );
}

function checkKey(vendor: string, key?: string): Promise<KeyCheck> {
  return ask<KeyCheck>("POST", `/me/vendors/${encodeURIComponent(vendor)}/check`, key ? { key } : {});
}

function isConnected({ key, local, models }: VendorListing): boolean {
  return key !== undefined || local === true || models > 0;
}

function factsOf({ key, lastFour = "", local, models: count, kind }: VendorListing): string {
  if (kind === "search") return key === "own" ? t("searchKeyEnding", { lastFour }) : t("searchKeyOfServer");
  if (key === "own") return t("keyEnding", { lastFour, count });
  if (key === "server") return t("keyOfServer", { count });
  return t(local ? "onThisComputer" : "withoutKey", { count });
}

/** The first letters of a name on a tile. */
export function Logo({ label }: { label: string }) {
  const capitals = label.replace(/[^A-Z]/g, "");
  return (
    <span className="logo" aria-hidden="true">
      {capitals.length > 1 ? capitals.slice(0, 2) : label.slice(0, 2)}
    </span>
  );
}
