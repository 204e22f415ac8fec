import { notify } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/choosing.ts";
import { Choices, Field, useForm } from "../ui/form.tsx";

/** Adds a server that speaks OpenAI's language. It is asked for its models first. */
export function ModelServerForm({ onSaved, onCancel }: { onSaved(): Promise<void>; onCancel(): void }) {
  const { problem, busy, submit } = useForm(async (field) => {
    const key = field("key").trim();
    const server = await ask<{ name: string; models: number }>("POST", "/admin/model-servers", {
      name: field("name").trim().toLowerCase(),
      url: field("url").trim(),
      ...(key === "" ? {} : { key }),
    });
    notify({ text: t("modelServerAdded", { name: server.name, count: server.models }) });
    await onSaved();
  });
  return (
    <form className="source-form prompt-form" onSubmit={submit}>
      <Field label={t("sourceName")} name="name" required maxLength={40} placeholder="lab" autoFocus />
      <Field label={t("sourceUrl")} name="url" type="url" required placeholder="http://127.0.0.1:1234/v1" />
      <Field label={t("sourceKey")} name="key" type="password" autoComplete="off" />
      <p className="hint">{t("modelServerHint")}</p>
      {problem}
      <Choices action={t(busy ? "keyChecking" : "addToolNow")} disabled={busy} onCancel={onCancel} quiet />
    </form>
  );
}
