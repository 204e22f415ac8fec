import type { ModelListing } from "../../protocol/chat.ts";
import { person } from "./person.ts";
import { prefer, preferences } from "./preferences.ts";

const MOST_RECENT = 3;

/** Returns the model for new questions. */
export function useModel(): ModelListing | undefined {
  const models = person((state) => state.models);
  const chosen = preferences((state) => state.model);
  return models.find(({ id }) => id === chosen) ?? models.find((model) => model.default);
}

/** Chooses the model for new questions. */
export function chooseModel(id: string): void {
  const { models } = person.getState();
  const recent = [id, ...preferences.getState().recentModels.filter((other) => other !== id)];
  const standard = models.find((model) => model.default)?.id;
  prefer({ model: id === standard ? undefined : id, recentModels: recent.slice(0, MOST_RECENT) });
}
