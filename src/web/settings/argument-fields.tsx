import { useState } from "react";
import { isObject } from "../../protocol/json.ts";
import { isBuiltIn } from "../choosing/tool-names.ts";
import { t } from "../text/rules.ts";
import { Field } from "../ui/form.tsx";
import { Select } from "../ui/select.tsx";
import { argumentLabel } from "./argument-names.ts";

/** One field for each parameter of a tool. What is not a text, number or switch is written as JSON. */
export function ArgumentFields({ tool, parameters }: { tool: string; parameters: unknown }) {
  const { properties, required } = read(parameters);
  return (
    <>
      {Object.entries(properties).map(([name, schema]) => {
        const isRequired = required.includes(name);
        const shown = argumentLabel(tool, name);
        const label = isRequired ? shown : t("optionalArgument", { name: shown });
        const choices = choicesOf(schema);
        if (choices) return <Choice key={name} name={name} label={label} choices={choices} />;
        return (
          <Field
            key={name}
            label={label}
            name={`argument ${name}`}
            required={isRequired}
            autoComplete="off"
            spellCheck={false}
            title={hintOf(tool, schema)}
          />
        );
      })}
    </>
  );
}

/** What others say of their parameter. Descriptions of our own are for models, in English. */
function hintOf(tool: string, schema: unknown): string | undefined {
  return !isBuiltIn(tool) && isObject(schema) && typeof schema.description === "string"
    ? schema.description
    : undefined;
}

/** What a parameter takes, if that is a list of words. */
function choicesOf(schema: unknown): string[] | undefined {
  if (!isObject(schema)) return undefined;
  if (schema.type === "boolean") return ["true", "false"];
  return Array.isArray(schema.enum) ? schema.enum.map(String) : undefined;
}

function Choice({ name, label, choices }: { name: string; label: string; choices: string[] }) {
  const [chosen, setChosen] = useState("");
  return (
    <Select<string>
      name={`argument ${name}`}
      label={label}
      value={chosen}
      options={["", ...choices].map((value) => ({ value, text: value || "–" }))}
      onChoose={setChosen}
    />
  );
}

/** Returns the arguments that the fields hold. Throws a sentence if one is not what its parameter takes. */
export function argumentsFrom(
  tool: string,
  parameters: unknown,
  field: (name: string) => string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(read(parameters).properties).flatMap(([name, schema]) => {
      const text = field(`argument ${name}`);
      if (text === "") return [];
      const type = isObject(schema) ? schema.type : undefined;
      if (type === "string" || (isObject(schema) && Array.isArray(schema.enum))) return [[name, text]];
      try {
        return [[name, JSON.parse(text)]];
      } catch (error) {
        if (type === undefined || Array.isArray(type)) return [[name, text]];
        const key = type === "number" || type === "integer" ? "notNumber" : "notJson";
        throw new Error(t(key, { name: argumentLabel(tool, name) }), { cause: error });
      }
    }),
  );
}

function read(parameters: unknown): { properties: Record<string, unknown>; required: unknown[] } {
  if (!isObject(parameters)) return { properties: {}, required: [] };
  return {
    properties: isObject(parameters.properties) ? parameters.properties : {},
    required: Array.isArray(parameters.required) ? parameters.required : [],
  };
}
