import type { ReactNode } from "react";
import type { ToolSource } from "../../protocol/added-tools.ts";
import { wordsOfCode } from "../administration/error-words.ts";
import { leaving, removeWithUndo } from "../state/leaving.ts";
import { attempt } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/choosing.ts";
import { moment } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { Logo } from "./models-and-keys.tsx";
import { stateOfProblem, wordsOfProblem } from "./problem-kinds.ts";

const STATES = {
  ready: "stateReady",
  starting: "stateStarting",
  unauthorized: "stateUnauthorized",
  unavailable: "stateUnavailable",
  paused: "statePaused",
} as const;
const EFFECTS = {
  none: "effectNone",
  read: "effectRead",
  network: "effectNetwork",
  write: "effectWrite",
} as const;

interface RowProps {
  source: ToolSource;
  route: "/admin/mcp" | "/admin/openapi" | "/admin/tools";
  /** What it is called, and its second line. */
  label: string;
  place: string | undefined;
  /** What else can be done with it, above the rest. */
  actions?: MenuItem[];
  /** What appears in place of its state, and a line that says more. */
  state?: ReactNode;
  hint?: string | undefined;
  canPause: boolean;
  testLabel: string;
  onChanged(): Promise<void>;
  children?: ReactNode;
}

/** A source of tools: what it may do, its last errors, and what can be done with it. */
export function SourceRow(props: RowProps) {
  const { source, route, label, place, actions = [], canPause, testLabel, onChanged, children } = props;
  const { name, from, paused, state, problem } = source;
  const isOwn = route === "/admin/tools";
  const isLeaving = leaving(({ ids }) => ids.includes(`${route}/${encodeURIComponent(name)}`));
  if (isLeaving) return null;
  const path = `${route}/${encodeURIComponent(name)}`;
  const act = (method: "PATCH" | "POST", to: string, body?: object) =>
    void attempt(async () => {
      await ask(method, to, body);
      await onChanged();
    });
  const pause: MenuItem = {
    label: t(paused ? "goOn" : "pause"),
    icon: paused ? "play" : "pause",
    run: () => act("PATCH", path, { paused: !paused }),
  };
  const remove: MenuItem = {
    label: t("remove"),
    icon: "trash",
    danger: true,
    apart: true,
    run: () =>
      removeWithUndo({ id: path, text: t("removedSource", { name: label }), path, refresh: onChanged }),
  };
  const items: MenuItem[] = [
    ...actions,
    { label: testLabel, icon: "retry", run: () => act("POST", `${path}/test`) },
    ...(canPause ? [pause] : []),
    ...(from === "file" ? [] : [remove]),
  ];
  return (
    <li>
      <Logo label={label} />
      <div className="grow prompt-row">
        <b>{label}</b>
        <small>{place}</small>
        {props.hint && <small className="source-about">{props.hint}</small>}
        {problem && state !== "paused" && <Problem source={source} isOwn={isOwn} />}
        <ToolList source={source} />
        <Failures source={source} />
        {children}
      </div>
      {props.state ?? (
        <span className={state === "ready" ? "works" : state === "unavailable" ? "works-not" : "hint"}>
          {stateText(source, isOwn)}
        </span>
      )}
      <Menu label={t("actionsFor", { name: label })} items={items}>
        <Icon name="more" />
      </Menu>
    </li>
  );
}

function ToolList({ source: { name, tools } }: { source: ToolSource }) {
  const [only] = tools;
  if (!only) return null;
  const words = (tool: ToolSource["tools"][number]) => (
    <>
      <b>{tool.name.startsWith(`${name}.`) ? tool.name.slice(name.length + 1) : tool.name}</b> ·{" "}
      {t(EFFECTS[tool.effect])}
    </>
  );
  if (only.name === name)
    return (
      <small className="source-about">
        {only.description} · {t(EFFECTS[only.effect])}
      </small>
    );
  return (
    <details className="source-tools">
      <summary>{t("sourceTools", { count: tools.length })}</summary>
      <ul>
        {tools.map((tool) => (
          <li key={tool.name}>{words(tool)}</li>
        ))}
      </ul>
    </details>
  );
}

function stateText({ state, problem = "" }: ToolSource, isOwn: boolean): string {
  if (state !== "unavailable") return t(STATES[state]);
  return isOwn ? t("stateBroken") : stateOfProblem(problem);
}

/** Why a source doesn't work, or not all of it. The author of a tool reads what its code says. */
function Problem({ source, isOwn }: { source: ToolSource; isOwn: boolean }) {
  const { problem: text = "", state } = source;
  const look = state === "unavailable" ? "source-problem" : "source-about";
  if (isOwn) return <small className={look}>{text}</small>;
  return (
    <>
      <small className={look}>{state === "ready" ? t("sourcePartly") : wordsOfProblem(text)}</small>
      <details className="source-tools">
        <summary>{t("details")}</summary>
        <p>{text}</p>
      </details>
    </>
  );
}

function Failures({ source: { errors } }: { source: ToolSource }) {
  if (errors.length === 0) return null;
  return (
    <details className="source-tools">
      <summary>{t("lastFailures")}</summary>
      <ul>
        {errors.map(({ at, code }) => (
          <li key={at}>
            {moment(new Date(at))} · {wordsOfCode(code)}
          </li>
        ))}
      </ul>
    </details>
  );
}
