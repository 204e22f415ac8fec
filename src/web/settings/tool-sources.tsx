import "../style/choosing.css";
import { useState } from "react";
import type { ToolSource } from "../../protocol/added-tools.ts";
import { attempt, notify } from "../state/notices.ts";
import { refreshModelsAndTools } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/choosing.ts";
import { Button } from "../ui/button.tsx";
import { Field, useForm } from "../ui/form.tsx";
import { Icon } from "../ui/icons.tsx";
import { useRoute } from "../ui/loaded.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { Logo } from "./models-and-keys.tsx";

type Route = "/admin/mcp" | "/admin/openapi";
type Adding = "server" | "command" | "document";

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

/** Connected services whose tools are offered: add, try, pause and remove them. */
export function ToolSources() {
  const [turn, setTurn] = useState(0);
  const { sources: servers, commands = false } =
    useRoute<{ sources: ToolSource[]; commands: boolean }>("/admin/mcp", turn) ?? {};
  const documents = useRoute<{ sources: ToolSource[] }>("/admin/openapi", turn)?.sources;
  const [adding, setAdding] = useState<Adding>();
  const all = [
    ...(servers ?? []).map((source) => ({ source, route: "/admin/mcp" as const })),
    ...(documents ?? []).map((source) => ({ source, route: "/admin/openapi" as const })),
  ];

  async function changed(): Promise<void> {
    setAdding(undefined);
    setTurn(turn + 1);
    await refreshModelsAndTools();
  }

  return (
    <>
      <h4>{t("services")}</h4>
      {servers && all.length === 0 && <p className="hint">{t("noServices")}</p>}
      <ul className="settings-rows">
        {all.map(({ source, route }) => (
          <SourceRow key={`${route} ${source.name}`} source={source} route={route} onChanged={changed} />
        ))}
      </ul>
      {adding ? (
        <SourceForm kind={adding} onAdded={changed} onCancel={() => setAdding(undefined)} />
      ) : (
        <p className="vendor-chips">
          <Chip label={t("addServer")} onClick={() => setAdding("server")} />
          <Chip label={t("addDocument")} onClick={() => setAdding("document")} />
          {commands && <Chip label={t("addCommand")} onClick={() => setAdding("command")} />}
        </p>
      )}
      {servers && !commands && <p className="hint">{t("noCommands")}</p>}
    </>
  );
}

function Chip({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <Button onClick={onClick}>
      <Icon name="plus" size="tiny" />
      {label}
    </Button>
  );
}

interface RowProps {
  source: ToolSource;
  route: Route;
  onChanged(): Promise<void>;
}

function SourceRow({ source, route, onChanged }: RowProps) {
  const { name, from, paused, state, problem, command, args = [], url, tools } = source;
  const path = `${route}/${encodeURIComponent(name)}`;
  const act = (method: "DELETE" | "PATCH" | "POST", to: string, body?: object) =>
    void attempt(async () => {
      await ask(method, to, body);
      if (method === "DELETE") notify({ text: t("removedSource", { name }) });
      await onChanged();
    });
  const items: MenuItem[] = [
    { label: t("testAgain"), icon: "retry", run: () => act("POST", `${path}/test`) },
    ...(from === "file"
      ? []
      : [
          {
            label: t(paused ? "goOn" : "pause"),
            icon: "stop" as const,
            run: () => act("PATCH", path, { paused: !paused }),
          },
          {
            label: t("remove"),
            icon: "trash" as const,
            danger: true,
            apart: true,
            run: () => act("DELETE", path),
          },
        ]),
  ];
  const place = command === undefined ? url : [command, ...args].join(" ");
  return (
    <li>
      <Logo label={name} />
      <div className="grow prompt-row">
        <b>{name}</b>
        <small>{from === "file" ? t("fromFile") : place}</small>
        {state !== "ready" && problem && <small className="works-not">{problem}</small>}
        {tools.length > 0 && (
          <details className="source-tools">
            <summary>{t("sourceTools", { count: tools.length })}</summary>
            <ul>
              {tools.map((tool) => (
                <li key={tool.name}>
                  <b>{tool.name.slice(tool.name.indexOf(".") + 1)}</b> · {t(EFFECTS[tool.effect])}
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
      <span className={state === "ready" ? "works" : state === "unavailable" ? "works-not" : "hint"}>
        {t(STATES[state])}
      </span>
      <Menu label={t("actionsFor", { name })} items={items}>
        <Icon name="more" />
      </Menu>
    </li>
  );
}

interface FormProps {
  kind: Adding;
  onAdded(): Promise<void>;
  onCancel(): void;
}

function SourceForm({ kind, onAdded, onCancel }: FormProps) {
  const { problem, busy, submit } = useForm(async (field) => {
    await ask("POST", kind === "document" ? "/admin/openapi" : "/admin/mcp", requestOf(kind, field));
    await onAdded();
  });
  return (
    <form className="source-form prompt-form" onSubmit={submit}>
      <Field label={t("sourceName")} name="name" required maxLength={40} autoFocus />
      {kind === "command" ? (
        <>
          <Field label={t("sourceCommand")} name="command" required autoComplete="off" />
          <SecretLines label={t("sourceEnv")} />
          <p className="hint">{t("commandWarning")}</p>
        </>
      ) : (
        <>
          <Field label={t("sourceUrl")} name="url" type="url" required placeholder="https://" />
          {kind === "server" ? (
            <SecretLines label={t("sourceHeaders")} />
          ) : (
            <Field label={t("sourceKey")} name="key" type="password" autoComplete="off" />
          )}
        </>
      )}
      {problem}
      <p className="choices">
        <button type="submit" className="primary" disabled={busy}>
          {t(busy ? "connecting" : "addIt")}
        </button>
        <Button className="quiet" onClick={onCancel}>
          {t("cancel")}
        </Button>
      </p>
    </form>
  );
}

function SecretLines({ label }: { label: string }) {
  return (
    <label>
      {label}
      <textarea name="secrets" rows={2} autoComplete="off" spellCheck={false} />
    </label>
  );
}

function requestOf(kind: Adding, field: (name: string) => string): object {
  const name = field("name").trim();
  if (kind === "document") {
    const key = field("key").trim();
    return { name, url: field("url").trim(), ...(key === "" ? {} : { auth: { key } }) };
  }
  if (kind === "server") return { name, url: field("url").trim(), headers: pairsOf(field("secrets"), ":") };
  const [command = "", ...args] = wordsOf(field("command"));
  return { name, command, args, env: pairsOf(field("secrets"), "=") };
}

/** Reads lines such as `NAME=value`. */
function pairsOf(text: string, sign: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.includes(sign));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(sign);
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

/** Splits a command line at spaces outside of quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}
