import type { Summarizer } from "../loop/summary.ts";
import type { LoopLimits } from "../loop/turn.ts";
import type { CallContexts } from "../protocol/call-context.ts";
import type { ModelCatalogue, VendorKeys } from "../protocol/catalogue.ts";
import type { ModelMemory } from "../protocol/context.ts";
import type { LoggedEvent } from "../protocol/events.ts";
import type { Files, UserFiles } from "../protocol/files.ts";
import type { Guard } from "../protocol/guard.ts";
import type { RunLog } from "../protocol/journal.ts";
import type { Allowance, Budgets, RequestExtent } from "../protocol/limits.ts";
import type { Model } from "../protocol/model.ts";
import type { PersonalModels } from "../protocol/model-offers.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Registry } from "../protocol/registry.ts";
import type { Run, StepRecord } from "../protocol/run-records.ts";
import type { RunRequest } from "../protocol/run-request.ts";
import type { StoredMessage } from "../protocol/sessions.ts";
import type { Store } from "../protocol/store.ts";
import type { Workspace } from "../protocol/workspace.ts";
import type { chooseTools } from "./choose-tools.ts";
import type { Meaning } from "./meaning.ts";
import type { PersonalRows } from "./session-instructions.ts";
import type { FileReaders } from "./turn-files.ts";

/** The limits of one request as the settings give them: how far it may go depends on who asks. */
export type ServerLimits = Omit<LoopLimits, keyof RequestExtent> & Record<keyof RequestExtent, Allowance>;

/** The settings that runs depend on. */
export interface RunSettings {
  loop: ServerLimits;
  /** How long a run stays with a process that no longer renews its lease. */
  leaseMs: number;
  /** How deep child runs may be nested: 0 for none. */
  delegateDepth: number;
  fetchAllow: readonly string[];
}

/** What keeps requests within the models' windows. */
export interface ContextParts {
  /** Returns what was learned about a model. `owner` is the person whose own key is used. */
  memoryOf(modelId: string, owner: string): ModelMemory;
  /** What the first layer finds in a text. */
  labels(text: string): Promise<string[]> | string[];
  /** Returns how summaries are written for a person who talks to a model. Undefined if they are switched off. */
  summarizer(principal: Principal, chatModel: string): Summarizer | undefined;
}

/** Everything that turns are made of. */
export interface TurnParts {
  settings: RunSettings;
  store: Store;
  files: Files;
  /** A person's files, as the tools of a session reach them. */
  userFiles(principal: Principal, sessionId?: string, run?: Run): UserFiles;
  fileReaders: FileReaders;
  models: ModelCatalogue;
  /** The models that are offered to somebody who starts a run. */
  modelsFor(principal: Principal): Promise<PersonalModels>;
  registry: Registry;
  guard: Guard;
  callContexts: CallContexts;
  /** Tells what texts mean. Missing where no embedding model is set. */
  meaning?: Meaning | undefined;
  /** What the folders tell the model. Missing where there is nothing to read. */
  workspace?: Workspace;
  budgets: Budgets;
  /** What keeps requests within the models' windows. Without it, nothing is left out. */
  contexts?: ContextParts;
  /** The vendor keys that a user has stored. They take precedence over the server's. */
  keysOf(userId: string): Promise<VendorKeys>;
  /** Throws FORBIDDEN for a suspended user. */
  admit(user: { id: string }): Promise<void>;
  log: { warn(facts: object, message: string): void };
}

/** Who answers a request, with which tools. */
export interface Admitted {
  model: Model;
  /** The keys that its person brings along. */
  keys: VendorKeys;
  chosen: ReturnType<typeof chooseTools>;
}

/** What the journal already holds of a run: the first event of a new one, everything of one that was taken over. */
export interface RecoveredJournal {
  events: LoggedEvent[];
  steps: StepRecord[];
  /** The person's message, if the run has just opened its session with it: then there is nothing else to read. */
  opening?: StoredMessage | undefined;
  /** The key of the step that was written with the opening, and when the opening is on disk. */
  firstStep?: string | undefined;
  durable?: Promise<void> | undefined;
  /** More was said in the session before, so it has its title. */
  continues?: boolean;
  /** What was read and decided when the run was opened, a moment ago. */
  known?: (Admitted & { rows: PersonalRows | undefined }) | undefined;
}

/** A run that this process works on: what was asked, and what its journal holds. */
export interface OwnedRun {
  run: Run;
  request: RunRequest;
  log: RunLog;
  recovered: RecoveredJournal;
}
