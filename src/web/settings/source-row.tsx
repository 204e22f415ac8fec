import type { ReactNode } from "react";
import type { ToolSource } from "../../protocol/added-tools.ts";
import { wordsOfCode } from "../administration/error-words.ts";
import { attempt, notify } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/choosing.ts";
import { moment } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { Logo } from "./models-and-keys.tsx";
import { wordsOfProblem } from "./problem-kinds.ts";

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
  /** What stands in place of its state, and a line that says more. */
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
  const path = `${route}/${encodeURIComponent(name)}`;
  const act = (method: "DELETE" | "PATCH" | "POST", to: string, body?: object) =>
    void attempt(async () => {
      await ask(method, to, body);
      if (method === "DELETE") notify({ text: t("removedSource", { name: label }) });
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
    run: () => act("DELETE", path),
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
        {state === "unavailable" && problem && <Problem text={problem} isOwn={route === "/admin/tools"} />}
        <ToolList source={source} />
        <Failures source={source} />
        {children}
      </div>
      {props.state ?? (
        <span className={state === "ready" ? "works" : state === "unavailable" ? "works-not" : "hint"}>
          {t(state === "unavailable" && route === "/admin/tools" ? "stateBroken" : STATES[state])}
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

/** Why a source doesn't work. The author of a tool reads what its code says. */
function Problem({ text, isOwn }: { text: string; isOwn: boolean }) {
  if (isOwn) return <small className="source-problem">{text}</small>;
  return (
    <>
      <small className="source-problem">{wordsOfProblem(text)}</small>
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
