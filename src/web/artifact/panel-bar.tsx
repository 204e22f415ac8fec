import { useRef } from "react";
import { saveFile } from "../shell/download.ts";
import { attempt, notify } from "../state/notices.ts";
import type { ArtifactVersion } from "../state/server.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { copyText } from "../ui/copy-text.ts";
import { Icon } from "../ui/icons.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { useWide } from "../ui/wide.ts";
import { fileNameOf } from "./names.ts";
import { VersionMenu } from "./version-menu.tsx";

export type Tab = "preview" | "code" | "compare";
const TABS: readonly Tab[] = ["preview", "code", "compare"];
/** A narrower bar has less, and its menu more. The style sheet shortens the words at the same width. */
const WIDE = 560;

interface Props {
  title: string;
  file: { code: string; type: string; language: string | undefined };
  versions: readonly ArtifactVersion[];
  version: number | undefined;
  onVersion(version: number): void;
  onRestore(): void;
  tab: Tab;
  tabsId: string;
  onTab(tab: Tab): void;
  previewUrl: string | undefined;
  full: boolean;
  onFull(): void;
  stopped: boolean;
  onStop(): void;
  onRestart(): void;
  onConsole(): void;
  picking: boolean;
  /** Begins or ends choosing a part to change; undefined where there is none to choose. */
  onPick: (() => void) | undefined;
  onClose(): void;
}

/** The bar of the panel: what is shown, in which version and how, and what can be done with it. */
export function PanelBar(props: Props) {
  const { title, tab, tabsId, onTab, onClose } = props;
  const bar = useRef<HTMLElement>(null);
  const wide = useWide(bar, WIDE);
  const share = shareOf(props);
  const pick = tab === "preview" ? props.onPick : undefined;
  return (
    <header ref={bar} className="panel-bar">
      <IconButton icon="back" label={t("back")} className="panel-back" onClick={onClose} />
      <h2 dir="auto">{title}</h2>
      <VersionMenu {...props} onCompare={() => onTab("compare")} />
      <span className="grow" />
      <Tabs<Tab>
        id={tabsId}
        label={title}
        tabs={TABS.map((name) => ({ name, title: t(name) }))}
        chosen={tab}
        onChoose={onTab}
      />
      {wide && pick && (
        <IconButton icon="point" label={t("pickPart")} aria-pressed={props.picking} onClick={pick} />
      )}
      {wide && share && <IconButton icon="share" label={t("share")} onClick={share} />}
      <Menu label={t("more")} items={itemsOf(props, wide ? {} : { pick, share })}>
        <Icon name="more" />
      </Menu>
      <IconButton icon="close" label={t("close")} className="panel-close" onClick={onClose} />
    </header>
  );
}

/** Returns what opens the link to the shown version; undefined while there is none. */
function shareOf({ title, version, previewUrl }: Props): (() => void) | undefined {
  if (version === undefined || previewUrl === undefined) return undefined;
  const url = new URL(aloneAddress(previewUrl), location.href).href;
  return () => view.setState({ over: { kind: "share-version", title, version, url } });
}

interface Moved {
  pick?: (() => void) | undefined;
  share?: (() => void) | undefined;
}

/** Returns what the menu offers, with what the bar has no room for first. */
function itemsOf(props: Props, { pick, share }: Moved): MenuItem[] {
  const { title, file, previewUrl, full, stopped } = props;
  const { code, type, language } = file;
  const name = fileNameOf(title, type, language);
  return [
    ...(pick ? [{ label: t("pickPart"), icon: "point" as const, run: pick }] : []),
    ...(share ? [{ label: t("share"), icon: "share" as const, run: share }] : []),
    { label: t("copyCode"), icon: "copy", run: () => void copy(code) },
    { label: t("download"), icon: "download", run: () => saveFile(name, code, "text/plain") },
    ...(previewUrl === undefined
      ? []
      : [{ label: t("openAlone"), icon: "outside" as const, run: () => openAlone(previewUrl) }]),
    { label: t(full ? "leaveFullScreen" : "fullScreen"), icon: "full", run: props.onFull },
    { label: t("restart"), icon: "retry", run: props.onRestart, apart: true },
    ...(stopped ? [] : [{ label: t("stopFrame"), icon: "stop" as const, run: props.onStop }]),
    { label: t("console"), icon: "terminal", run: props.onConsole },
  ];
}

async function copy(code: string): Promise<void> {
  if (await attempt(() => copyText(code))) notify({ text: t("copied") });
}

function openAlone(previewUrl: string): void {
  open(aloneAddress(previewUrl), "_blank", "noopener,noreferrer");
}

/** In its own tab, a page around the artifact keeps it from navigating away. */
function aloneAddress(previewUrl: string): string {
  return previewUrl.replace("/preview?", "/view?");
}
