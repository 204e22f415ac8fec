import { Fragment, useRef, useState } from "react";
import type { ModelParameters, Project } from "../../protocol/projects.ts";
import { attempt } from "../state/notices.ts";
import { person } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/projects.ts";
import { number } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { NumberField } from "../ui/number-field.tsx";
import { Select } from "../ui/select.tsx";
import { groupsOf, isOn, TOOL_GROUPS, type ToolGroup, toolsOf } from "./tool-groups.ts";

const EFFORTS = ["", "low", "medium", "high"] as const;

/** The model, tools and parameters that the project's chats begin with. */
export function Defaults({ project, refresh }: { project: Project; refresh(): Promise<void> }) {
  const [editing, setEditing] = useState(false);
  const models = person((state) => state.models);
  const tools = person((state) => state.tools);
  const { model, access } = project;
  const label = models.find(({ id }) => id === model)?.label ?? (model ? t("modelGone") : t("standard"));
  return (
    <section>
      <h2>
        {t("defaults")}
        {access !== "read" && (
          <IconButton icon="edit" label={t("editDefaults")} onClick={() => setEditing(true)} />
        )}
      </h2>
      <dl className="project-defaults">
        <dt>{t("model")}</dt>
        <dd>{label}</dd>
        <dt>{t("tools")}</dt>
        <dd>
          {toolsText(
            project.tools,
            tools.map(({ name }) => name),
          )}
        </dd>
        {parameterFacts(project.parameters ?? {}).map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
      {editing && <DefaultsDialog project={project} refresh={refresh} onClose={() => setEditing(false)} />}
    </section>
  );
}

/** The parameters that differ from the server's. */
function parameterFacts(parameters: ModelParameters): [name: string, value: string][] {
  const { effort, temperature, topP, verbosity, maxOutputTokens } = parameters;
  return [
    ...(effort ? [[t("effort"), effortText(effort)] as [string, string]] : []),
    ...(temperature === undefined ? [] : [[t("temperature"), number(temperature)] as [string, string]]),
    ...(topP === undefined ? [] : [[t("topP"), number(topP)] as [string, string]]),
    ...(verbosity ? [[t("verbosity"), t(`verbosity_${verbosity}`)] as [string, string]] : []),
    ...(maxOutputTokens === undefined
      ? []
      : [[t("longestAnswer"), number(maxOutputTokens)] as [string, string]]),
  ];
}

/** The API takes more of them than this page offers. */
function effortText(effort: NonNullable<ModelParameters["effort"]>): string {
  return effort === "low" || effort === "medium" || effort === "high" ? t(`thinks_${effort}`) : effort;
}

function toolsText(chosen: readonly string[] | undefined, all: readonly string[]): string {
  if (!chosen) return t("allOfThem");
  const groups = groupsOf(all).filter((group) => isOn(group, chosen, all));
  return groups.length === 0 ? t("noneOfThem") : groups.map((group) => t(TOOL_GROUPS[group])).join(", ");
}

function DefaultsDialog(props: { project: Project; refresh(): Promise<void>; onClose(): void }) {
  const { project, refresh, onClose } = props;
  const models = person((state) => state.models);
  const names = person((state) => state.tools).map(({ name }) => name);
  const [model, setModel] = useState(project.model ?? "");
  const isGone = project.model !== undefined && !models.some(({ id }) => id === project.model);
  const fields = useRef<HTMLDivElement>(null);
  const [tools, setTools] = useState(project.tools);
  const [parameters, setParameters] = useState<ModelParameters>(project.parameters ?? {});
  const toggle = (group: ToolGroup) => {
    const chosen = tools ?? names;
    const members = toolsOf(group, names);
    const next = isOn(group, chosen, names)
      ? chosen.filter((name) => !members.includes(name))
      : [...chosen, ...members.filter((name) => !chosen.includes(name))];
    setTools(names.every((name) => next.includes(name)) ? undefined : next);
  };
  async function save(): Promise<void> {
    const wrong = fields.current?.querySelector<HTMLElement>("[aria-invalid=true]");
    if (wrong) return wrong.focus();
    const saved = await attempt(async () => {
      await ask("PATCH", `/projects/${project.id}`, {
        model: model === "" ? null : model,
        tools: tools ?? null,
        parameters: Object.keys(parameters).length === 0 ? null : parameters,
      });
      await refresh();
    });
    if (saved) onClose();
  }
  return (
    <Dialog title={t("defaults")} onClose={onClose} className="project-dialog">
      <p className="hint">{t("defaultsHint")}</p>
      <div className="fields" ref={fields}>
        <Select<string>
          label={t("model")}
          value={model}
          options={[
            { value: "", text: t("standard") },
            ...(isGone ? [{ value: project.model ?? "", text: t("modelGone") }] : []),
            ...models.map(({ id, label }) => ({ value: id, text: label })),
          ]}
          onChoose={setModel}
        />
        <fieldset>
          <legend>{t("tools")}</legend>
          {groupsOf(names).map((group) => (
            <label key={group}>
              <input
                type="checkbox"
                checked={isOn(group, tools ?? names, names)}
                onChange={() => toggle(group)}
              />
              {t(TOOL_GROUPS[group])}
            </label>
          ))}
        </fieldset>
        <Select
          label={t("effort")}
          value={parameters.effort ?? ""}
          options={EFFORTS.map((value) => ({
            value,
            text: t(value === "" ? "standard" : `thinks_${value}`),
          }))}
          onChoose={(effort) =>
            setParameters(changed(parameters, "effort", effort === "" ? undefined : effort))
          }
        />
        <NumberField
          label={t("temperature")}
          placeholder={t("standard")}
          value={parameters.temperature}
          min={0}
          max={2}
          step={0.1}
          onChange={(value) => setParameters(changed(parameters, "temperature", value))}
        />
        <NumberField
          label={t("topP")}
          placeholder={t("standard")}
          value={parameters.topP}
          min={0}
          max={1}
          step={0.05}
          onChange={(value) => setParameters(changed(parameters, "topP", value))}
        />
        <Select
          label={t("verbosity")}
          value={parameters.verbosity ?? ""}
          options={EFFORTS.map((value) => ({
            value,
            text: t(value === "" ? "standard" : `verbosity_${value}`),
          }))}
          onChoose={(length) =>
            setParameters(changed(parameters, "verbosity", length === "" ? undefined : length))
          }
        />
        <NumberField
          label={t("longestAnswer")}
          placeholder={t("standard")}
          value={parameters.maxOutputTokens}
          min={1}
          max={1_000_000}
          step={1}
          onChange={(value) => setParameters(changed(parameters, "maxOutputTokens", value))}
        />
      </div>
      <p className="choices">
        <Button className="primary" onClick={() => void save()}>
          {t("save")}
        </Button>
        <Button onClick={onClose}>{t("cancel")}</Button>
      </p>
    </Dialog>
  );
}

function changed<Name extends keyof ModelParameters>(
  before: ModelParameters,
  name: Name,
  value: ModelParameters[Name],
): ModelParameters {
  const { [name]: _, ...rest } = before;
  return value === undefined ? rest : { ...rest, [name]: value };
}
