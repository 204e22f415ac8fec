import type { ModelListing } from "../../protocol/chat.ts";
import { person } from "./person.ts";
import { prefer, preferences } from "./preferences.ts";
import { openProject } from "./project-defaults.ts";

const MOST_RECENT = 3;

/** Returns the model for new questions. */
export function useModel(): ModelListing | undefined {
  const models = person((state) => state.models);
  const preferred = preferences((state) => state.model);
  const inProject = openProject(({ project, model }) => model ?? project?.model);
  const chosen = inProject ?? preferred;
  return models.find(({ id }) => id === chosen) ?? models.find((model) => model.default);
}

/** Chooses the model for new questions. */
export function chooseModel(id: string): void {
  // If the project has a model, choosing another one applies to the open conversation only.
  if (openProject.getState().project?.model !== undefined) {
    openProject.setState({ model: id });
    return;
  }
  const { models } = person.getState();
  const recent = [id, ...preferences.getState().recentModels.filter((other) => other !== id)];
  const standard = models.find((model) => model.default)?.id;
  prefer({ model: id === standard ? undefined : id, recentModels: recent.slice(0, MOST_RECENT) });
}
