import { useState } from "react";
import type { Project } from "../../protocol/projects.ts";
import { attempt } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/settings.ts";
import { useRoute } from "../ui/loaded.ts";

const MAX_CHARACTERS = 4_000;

/** What the person tells every conversation: about themselves, and how to answer. */
export function PersonalInstructions() {
  const project = useRoute<Project>("/projects/default");
  if (!project) return null;
  return (
    <>
      <Words name="about" label={t("aboutMe")} before={project.about ?? ""} />
      <Words name="instructions" label={t("howToAnswer")} before={project.instructions} />
    </>
  );
}

/** A text that is kept as soon as the person leaves it. */
function Words(props: { name: "about" | "instructions"; label: string; before: string }) {
  const { name, label, before } = props;
  const [kept, setKept] = useState(before);
  const [text, setText] = useState(before);
  async function keep(): Promise<void> {
    if (text === kept) return;
    if (await attempt(() => ask("PATCH", "/projects/default", { [name]: text }))) setKept(text);
  }
  return (
    <label className="settings-words">
      {label}
      <textarea
        dir="auto"
        name={name}
        rows={3}
        maxLength={MAX_CHARACTERS}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={() => void keep()}
      />
      <small>{t(text === kept ? "keptAtOnce" : "keptSoon")}</small>
    </label>
  );
}
