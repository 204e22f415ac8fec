import "../style/settings.css";
import { Suspense, useEffect, useId, useRef } from "react";
import { closeSettings, goToAdministration, settingsAddress } from "../shell/address.ts";
import { mayAdminister, person } from "../state/person.ts";
import { t } from "../text/settings.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Modal } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { SECTIONS } from "./sections.ts";

/** The settings: a list of sections beside the chosen one. On phones the list comes first, and the section is its own page. */
export function SettingsDialog({ section }: { section: string }) {
  const me = person((state) => state.me);
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const offered = SECTIONS.filter(({ isFor }) => isFor?.(me) ?? true);
  const { name, title, hint, Page } = offered.find((one) => one.name === section) ?? SECTIONS[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: a phone hides the link that was just followed
  useEffect(() => {
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement && activeElement.offsetParent === null) heading.current?.focus();
  }, [section]);
  return (
    <Modal labelledBy={id} onClose={closeSettings} className="settings" data-section={section}>
      <nav className="settings-list" aria-labelledby={id}>
        <h2 id={id}>{t("settings")}</h2>
        {offered.map((one) => (
          <a
            key={one.name}
            className="nav-row"
            href={settingsAddress(one.name)}
            aria-current={one.name === name ? "page" : undefined}
          >
            <Icon name={one.icon} />
            {t(one.title)}
          </a>
        ))}
        {mayAdminister(me) && (
          <Button className="nav-row" onClick={goToAdministration}>
            <Icon name="outside" />
            {t("administration")}
          </Button>
        )}
      </nav>
      <div className="settings-page">
        <header>
          <a
            className="quiet settings-back"
            href={settingsAddress("")}
            aria-label={t("settings")}
            title={t("settings")}
          >
            <Icon name="back" />
          </a>
          <h3 ref={heading} tabIndex={-1}>
            {t(title)}
          </h3>
        </header>
        {hint && <p className="settings-hint">{t(hint)}</p>}
        <Suspense fallback={null} key={name}>
          <Page />
        </Suspense>
      </div>
      <IconButton icon="close" label={t("close")} className="settings-close" onClick={closeSettings} />
    </Modal>
  );
}
