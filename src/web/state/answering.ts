import { create } from "zustand";
import { isObject } from "../../protocol/json.ts";
import type { ModelParameters } from "../../protocol/projects.ts";
import type { ChatRequest } from "../../protocol/requests.ts";
import { conversation } from "./conversation.ts";
import { attempt } from "./notices.ts";
import { openProject } from "./project-defaults.ts";
import { chat } from "./server.ts";
import { readStored, store } from "./storage.ts";

type Mode = "artifact" | "image";

interface Unsent {
  /** What the next message is to become, by session id. It holds for one message. */
  modes: Record<string, Mode>;
  /** The tool that the next message is to use, by session id. */
  tools: Record<string, string>;
  /** How a new conversation is to be answered. The server keeps it once there is one. */
  parameters: ModelParameters;
}

const KEY = "tackle.answering";
/** New conversations. */
const NEW = "";
const NOTHING: ModelParameters = {};

/** What was chosen for messages that are not sent yet. Like them, it survives a reload. */
const unsent = create<Unsent>(stored);
unsent.subscribe((state) => store(KEY, JSON.stringify(state)));

function stored(): Unsent {
  try {
    const found: unknown = JSON.parse(readStored(KEY) ?? "{}");
    if (isObject(found) && isObject(found.modes) && isObject(found.parameters)) {
      const tools = isObject(found.tools) ? (found.tools as Unsent["tools"]) : {};
      return { modes: found.modes as Unsent["modes"], tools, parameters: found.parameters };
    }
  } catch {
    // Nothing readable is stored.
  }
  return { modes: {}, tools: {}, parameters: {} };
}

const place = () => conversation.getState().sessionId ?? NEW;

/** Returns what the next message is to become. */
export function useMode(): Mode | undefined {
  const sessionId = conversation((state) => state.sessionId ?? NEW);
  return unsent((state) => state.modes[sessionId]);
}

/** Chooses what the next message is to become: an ordinary answer if nothing is said. */
export function chooseMode(mode?: Mode): void {
  const { [place()]: _, ...others } = unsent.getState().modes;
  unsent.setState({ modes: mode ? { ...others, [place()]: mode } : others });
}

/** Returns the tool that the next message is to use. */
export function useTool(): string | undefined {
  const sessionId = conversation((state) => state.sessionId ?? NEW);
  return unsent((state) => state.tools[sessionId]);
}

/** Chooses the tool that the next message is to use, or leaves that to the model. */
export function chooseTool(name?: string): void {
  const { [place()]: _, ...others } = unsent.getState().tools;
  unsent.setState({ tools: name === undefined ? others : { ...others, [place()]: name } });
}

/** Takes back the last choice for the message. Returns false if there is none. */
export function unchoose(): boolean {
  const { modes, tools } = unsent.getState();
  if (tools[place()] !== undefined) chooseTool();
  else if (modes[place()] !== undefined) chooseMode();
  else return false;
  return true;
}

/** Returns how the open conversation is answered, where it does not follow its project. */
export function useAnswering(): ModelParameters {
  const chosen = unsent((state) => state.parameters);
  const kept = conversation((state) => state.parameters) ?? NOTHING;
  const isNew = conversation((state) => state.sessionId === undefined);
  return isNew ? chosen : kept;
}

/** Returns how the open conversation is answered where it says nothing itself. */
export function useProjectAnswering(): ModelParameters {
  return openProject(({ project }) => project?.parameters) ?? NOTHING;
}

/** Changes how the open conversation is answered, or a new one if none is open. */
export function chooseAnswering(change: ModelParameters): void {
  const { sessionId, parameters: before } = conversation.getState();
  const parameters = present({
    ...(sessionId === undefined ? unsent.getState().parameters : before),
    ...change,
  });
  if (sessionId === undefined) unsent.setState({ parameters });
  else {
    conversation.setState({ parameters });
    wanted = { sessionId, parameters };
    if (!isSaving) void save();
  }
}

let wanted: { sessionId: string; parameters: ModelParameters } | undefined;
let isSaving = false;

/** Saves what was chosen last. What is chosen meanwhile is saved afterwards, at once. */
async function save(): Promise<void> {
  isSaving = true;
  while (wanted) {
    const { sessionId, parameters } = wanted;
    wanted = undefined;
    const isSaved = await attempt(() => chat.setParameters(sessionId, parameters));
    if (isSaved || wanted) continue;
    const session = await chat.getSession(sessionId).catch(() => undefined); // The failure is on the screen already.
    isSaving = wanted !== undefined;
    if (session) showAnswering(sessionId, session.parameters);
  }
  isSaving = false;
}

/** Shows what was chosen elsewhere, unless something newer was chosen here. */
export function showAnswering(sessionId: string, parameters: ModelParameters | undefined): void {
  if (conversation.getState().sessionId === sessionId && !isSaving) conversation.setState({ parameters });
}

function present(parameters: ModelParameters): ModelParameters {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
}

/** Returns the fields of a request that say how to answer, and ends what holds for one message. */
export function takeAnswering(): Pick<ChatRequest, "modeHint" | "parameters" | "toolChoice"> {
  const modeHint = unsent.getState().modes[place()];
  const toolChoice = unsent.getState().tools[place()];
  if (modeHint) chooseMode();
  if (toolChoice) chooseTool();
  const { parameters } = unsent.getState();
  const isNew = conversation.getState().sessionId === undefined && Object.keys(parameters).length > 0;
  return { ...(modeHint && { modeHint }), ...(toolChoice && { toolChoice }), ...(isNew && { parameters }) };
}

/** The server has a new conversation with what was chosen for it. The next one starts fresh. */
export function keepAnswering({ parameters }: Pick<ChatRequest, "parameters">): void {
  if (!parameters) return;
  conversation.setState({ parameters });
  unsent.setState({ parameters: {} });
}
