import type { ToolSource } from "../../protocol/added-tools.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/choosing.ts";
import { Choices, Field, useForm } from "../ui/form.tsx";
import { commandLine, commandOf, pairsOf, pastedEntry } from "./source-entry.ts";
import { nameFor } from "./source-name.ts";

/** What can be added: a server at an address, a program that is started here, or an API description. */
export type Adding = "server" | "command" | "document";

interface FormProps {
  kind: Adding;
  /** The service to change, unless it is a new one. */
  source?: ToolSource;
  onSaved(): Promise<void>;
  onCancel(): void;
}

/** Adds a service, or changes one. What is left empty then, such as a key, stays as it is. */
export function SourceForm({ kind, source, onSaved, onCancel }: FormProps) {
  const { problem, busy, submit } = useForm(async (field) => {
    const route = kind === "document" ? "/admin/openapi" : "/admin/mcp";
    const request = requestOf(kind, field);
    if (source) await ask("PATCH", `${route}/${encodeURIComponent(source.name)}`, request);
    else await ask("POST", route, { name: nameFor(field("name"), field("url")), ...request });
    await onSaved();
  });
  return (
    <form className="source-form prompt-form" onSubmit={submit}>
      {!source && <Field label={t("sourceName")} name="name" required maxLength={40} autoFocus />}
      {kind === "command" ? (
        <>
          <Field
            label={t("sourceCommand")}
            name="command"
            required
            autoComplete="off"
            defaultValue={source && commandLine(source)}
          />
          <SecretLines label={t("sourceEnv")} />
          <p className="hint">{t("commandWarning")}</p>
        </>
      ) : (
        <>
          <Field
            label={t("sourceUrl")}
            name="url"
            type="url"
            required
            placeholder="https://"
            defaultValue={source?.url}
            autoFocus={source !== undefined}
          />
          {kind === "server" ? (
            <SecretLines label={t("sourceHeaders")} />
          ) : (
            <>
              <Field label={t("sourceBase")} name="baseUrl" type="url" placeholder="https://" />
              <Field label={t("sourceKey")} name="key" type="password" autoComplete="off" />
            </>
          )}
        </>
      )}
      {source && <p className="hint">{t("emptyStays")}</p>}
      {problem}
      <Choices action={t(actionOf(busy, source))} disabled={busy} onCancel={onCancel} quiet />
    </form>
  );
}

function actionOf(busy: boolean, source: ToolSource | undefined) {
  if (busy) return "connecting";
  return source ? "saveSource" : "addIt";
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
  const given = (name: string) => field(name).trim() || undefined;
  if (kind === "document") {
    const key = given("key");
    return { url: given("url"), baseUrl: given("baseUrl"), ...(key && { auth: { key } }) };
  }
  const secrets = given("secrets");
  const pairs = secrets && pairsOf(secrets, kind === "server" ? ":" : "=");
  if (secrets && !pairs) throw new Error(t(kind === "server" ? "headersWrong" : "variablesWrong"));
  if (kind === "server") return { url: given("url"), headers: pairs };
  const { env, ...entry } = pastedEntry(field("command")) ?? commandOf(field("command"));
  return { ...entry, env: env || pairs ? { ...env, ...Object(pairs) } : undefined };
}
