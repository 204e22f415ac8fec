import { useState } from "react";
import { AUDIT_WORDS, type AuditEntry } from "../../protocol/audit.ts";
import { labelOf } from "../chat/problem-words.ts";
import { toolName } from "../choosing/tool-names.ts";
import { t as words } from "../text/administration.ts";
import { t } from "../text/audit.ts";
import { auditEnglish } from "../text/audit-english.ts";
import { moment } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { useRoute } from "../ui/loaded.ts";
import { Select } from "../ui/select.tsx";
import { Table } from "../ui/table.tsx";
import { personName } from "./person-name.ts";
import { Section } from "./section.tsx";

const PAGE = 50;
/** What of an entry's subject is worth reading at once. The rest is under Details. */
const TOLD = ["name", "tool", "role", "model", "address"];
/** How people call what an entry names by an id. */
const NAMES: Record<string, (id: string) => string> = {
  tool: toolName,
  model: labelOf,
  role: (role) => words(role === "admin" ? "roleAdmin" : "roleUser"),
};

interface AuditPage {
  entries: AuditEntry[];
  next?: number;
  /** The email addresses of people, by id. */
  names?: Record<string, string>;
}

/** Who has changed or allowed what. */
export function AuditLog({ turn }: { turn: number }) {
  const [action, setAction] = useState("");
  const [before, setBefore] = useState<number>();
  const place = before === undefined ? "" : `&before=${before}`;
  const wanted = action === "" ? "" : `&action=${encodeURIComponent(action)}`;
  const page = useRoute<AuditPage>(`/admin/audit?limit=${PAGE}${place}${wanted}`, turn);
  return (
    <Section title={t("auditLog")} hint={t("auditHint")}>
      <Select
        aria-label={t("auditFilter")}
        value={action}
        options={[
          { value: "", text: t("anyAct") },
          ...ACTIONS.map((one) => ({ value: one, text: wordsOf(one) })),
        ]}
        onChoose={(chosen) => {
          setAction(chosen);
          setBefore(undefined);
        }}
      />
      {page?.entries.length === 0 && <p className="hint">{t("nothingFound")}</p>}
      {page && page.entries.length > 0 && (
        <Table
          className="numbers-table audit-table"
          label={t("auditLog")}
          columns={[t("when"), t("who"), t("what"), t("details")]}
          rows={page.entries.map((entry) => ({
            key: entry.seq,
            cells: [
              moment(new Date(entry.at)),
              personName(entry.actor, page.names?.[entry.actor]),
              wordsOf(entry.action),
              <Facts key="facts" entry={entry} names={page.names} />,
            ],
          }))}
        />
      )}
      {(before !== undefined || page?.next !== undefined) && (
        <p className="choices">
          <Button disabled={before === undefined} onClick={() => setBefore(undefined)}>
            {t("newestEntries")}
          </Button>
          <Button disabled={page?.next === undefined} onClick={() => setBefore(page?.next)}>
            {t("olderEntries")}
          </Button>
        </p>
      )}
    </Section>
  );
}

const ACTIONS = Object.entries(AUDIT_WORDS).flatMap(([kind, words]) =>
  words.map((word) => `${kind}.${word}`),
);

/** Says what an entry is about. Newer servers may have words that this page doesn't know. */
function wordsOf(action: string): string {
  const key = action.replace(".", "_");
  return key in auditEnglish ? t(key as keyof typeof auditEnglish) : action;
}

function Facts({
  entry: { actor, action, subject, sessionId },
  names,
}: {
  entry: AuditEntry;
  names: AuditPage["names"];
}) {
  const { target } = subject;
  const whom = typeof target === "string" && target !== actor ? names?.[target] : undefined;
  const told = [whom, ...TOLD.map((name) => wordFor(name, subject[name]))].filter(
    (value) => value !== undefined,
  );
  const all = Object.entries({
    action,
    actor,
    ...subject,
    ...(sessionId === undefined ? {} : { sessionId }),
  });
  return (
    <>
      {told.join(" · ")}
      <details>
        <summary>{t("details")}</summary>
        {all.map(([name, value]) => (
          <span key={name}>
            {name}: {typeof value === "object" ? JSON.stringify(value) : String(value)}
          </span>
        ))}
      </details>
    </>
  );
}

function wordFor(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return NAMES[name]?.(String(value)) ?? String(value);
}
