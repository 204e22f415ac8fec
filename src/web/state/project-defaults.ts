import { create } from "zustand";
import { Failure } from "../../protocol/failure.ts";
import type { Project } from "../../protocol/projects.ts";
import { connection, isCutOff } from "./connection.ts";
import { conversation } from "./conversation.ts";
import { preferences } from "./preferences.ts";
import { ask } from "./server.ts";

interface OpenProject {
  /** The project of the open conversation. */
  project?: Project | undefined;
  /** The id of a project that was to be opened and isn't there, or isn't shared any more. */
  gone?: string | undefined;
  /** The model that the person chose there instead of the project's. */
  model?: string | undefined;
  /** The id of a project that is being deleted or left here, so that the page does not say that it is gone. */
  ending?: string | undefined;
  /** Counts what has changed in projects, here or elsewhere. */
  changes: number;
}

/** The project that the open conversation is in. */
export const openProject = create<OpenProject>(() => ({ changes: 0 }));

/** Reads the project whenever a conversation of another one is opened, and later if the server could not be reached then. */
export function watchProject(): void {
  conversation.subscribe(({ projectId }, before) => {
    if (projectId !== before.projectId) void readProject(projectId);
  });
  connection.subscribe((now, before) => {
    const isBack = isCutOff(before) && !isCutOff(now);
    if (isBack && openProject.getState().project === undefined) void readProject();
  });
}

/** Reads the project of the open conversation again. `model` is the one that the person chose there, if it is to stay. */
export async function readProject(
  projectId = conversation.getState().projectId,
  model?: string,
): Promise<void> {
  const known = openProject.getState().project;
  openProject.setState({ project: known?.id === projectId ? known : undefined, model });
  if (projectId === undefined) return;
  try {
    const project = await ask<Project>("GET", `/projects/${encodeURIComponent(projectId)}`);
    if (conversation.getState().projectId === projectId) openProject.setState({ project, gone: undefined });
  } catch (error) {
    // The conversation continues without it.
    if (error instanceof Failure && (error.code === "NOT_FOUND" || error.code === "FORBIDDEN"))
      openProject.setState({ project: undefined, gone: projectId });
  }
}

/** Shows what has changed in a project, here or elsewhere. */
export async function showProjectChange(projectId: string): Promise<void> {
  const { project, model, ending } = openProject.getState();
  if (ending === projectId) return;
  if (project?.id === projectId) await readProject(projectId, model);
  openProject.setState(({ changes }) => ({ changes: changes + 1 }));
}

/** Returns the model to ask for. Without one, the project's or the server's answers. */
export function chosenModel(): string | undefined {
  const { project, model } = openProject.getState();
  return model ?? (project?.model === undefined ? preferences.getState().model : undefined);
}
