import { ask } from "../state/server.ts";
import { t } from "../text/choosing.ts";
import { Choices, Field, useForm } from "../ui/form.tsx";

/** What can be added: a server at an address, a program that is started here, or an API description. */
export type Adding = "server" | "command" | "document";

interface FormProps {
  kind: Adding;
  onAdded(): Promise<void>;
  onCancel(): void;
}

/** Adds a service. */
export function SourceForm({ kind, onAdded, onCancel }: FormProps) {
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
      <Choices action={t(busy ? "connecting" : "addIt")} disabled={busy} onCancel={onCancel} quiet />
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
