import { useState } from "react";
import type { ToolSource } from "../../protocol/added-tools.ts";
import { person } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/choosing.ts";
import { Button } from "../ui/button.tsx";
import { useForm } from "../ui/form.tsx";
import { ArgumentFields, argumentsFrom } from "./argument-fields.tsx";

/** Calls a tool with arguments that the person enters, and shows what it returns. */
export function ToolTrial({ source, onClose }: { source: ToolSource; onClose(): void }) {
  const name = source.tools[0]?.name ?? source.name;
  const parameters = person((state) => state.tools).find((tool) => tool.name === name)?.parameters;
  const [output, setOutput] = useState<string>();
  const { problem, busy, submit } = useForm(async (field) => {
    setOutput(undefined);
    const called = argumentsFrom(name, parameters, field);
    const answer = await ask<{ output: string }>("POST", `/tools/${encodeURIComponent(name)}`, called);
    setOutput(answer.output);
  });
  return (
    <form className="source-form prompt-form" onSubmit={submit} onReset={(event) => event.preventDefault()}>
      <ArgumentFields tool={name} parameters={parameters} />
      {problem}
      <output className="tool-output">
        {output !== undefined && (
          <>
            {t("toolReturned")}
            <pre dir="auto">{output}</pre>
          </>
        )}
      </output>
      <p className="choices">
        <button type="submit" className="primary" disabled={busy}>
          {t(busy ? "toolRuns" : "runTool")}
        </button>
        <Button className="quiet" onClick={onClose}>
          {t("closeTrial")}
        </Button>
      </p>
    </form>
  );
}
