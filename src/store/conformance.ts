import { afterEach, beforeEach, describe } from "vitest";
import { accountBehavior } from "./conformance/accounts.ts";
import { auditBehavior } from "./conformance/audit.ts";
import { branchBehavior } from "./conformance/branches.ts";
import { breakerBehavior } from "./conformance/breakers.ts";
import { changeBehavior } from "./conformance/changes.ts";
import { clearingBehavior } from "./conformance/clearing.ts";
import { contextBehavior } from "./conformance/contexts.ts";
import { conversationBehavior } from "./conformance/conversations.ts";
import { crashBehavior } from "./conformance/crash.ts";
import { erasingBehavior } from "./conformance/erasing.ts";
import { feedBehavior } from "./conformance/feed.ts";
import { fileBehavior } from "./conformance/files.ts";
import { foldingBehavior } from "./conformance/folding.ts";
import { formatBehavior } from "./conformance/formats.ts";
import type { OpenHarness, StoreHarness } from "./conformance/harness.ts";
import { inputBehavior } from "./conformance/inputs.ts";
import { journalBehavior } from "./conformance/journal.ts";
import { ledgerBehavior } from "./conformance/ledger.ts";
import { limitBehavior } from "./conformance/limits.ts";
import { mcpTaskBehavior } from "./conformance/mcp-tasks.ts";
import { packingBehavior } from "./conformance/packing.ts";
import { projectBehavior } from "./conformance/projects.ts";
import { resultBehavior } from "./conformance/results.ts";
import { runBehavior } from "./conformance/runs.ts";
import { searchBehavior } from "./conformance/search.ts";
import { sessionBehavior } from "./conformance/sessions.ts";
import { shareBehavior } from "./conformance/shares.ts";
import { takeoverBehavior } from "./conformance/takeover.ts";
import { userBehavior } from "./conformance/users.ts";

type Behaviors = Record<string, (harness: () => StoreHarness) => void>;

/** Behavior of what an engine does with runs and their events. */
export const OF_RUNS: Behaviors = {
  runs: runBehavior,
  takeover: takeoverBehavior,
  "messages to runs": inputBehavior,
  journal: journalBehavior,
  feed: feedBehavior,
  erasing: erasingBehavior,
  folding: foldingBehavior,
  packing: packingBehavior,
  clearing: clearingBehavior,
  formats: formatBehavior,
  crash: crashBehavior,
};

const OF_EVERYTHING: Behaviors = {
  sessions: sessionBehavior,
  search: searchBehavior,
  accounts: accountBehavior,
  branches: branchBehavior,
  users: userBehavior,
  limits: limitBehavior,
  ledger: ledgerBehavior,
  "audit log": auditBehavior,
  breakers: breakerBehavior,
  files: fileBehavior,
  changes: changeBehavior,
  contexts: contextBehavior,
  conversations: conversationBehavior,
  "links and feedback": shareBehavior,
  "tasks of other programs": mcpTaskBehavior,
  projects: projectBehavior,
  results: resultBehavior,
  ...OF_RUNS,
};

/** What every engine has to do, as tests over a fresh database each. */
export function storeConformance(name: string, open: OpenHarness, behaviors = OF_EVERYTHING): void {
  describe(`store on ${name}`, () => {
    let opened: StoreHarness | undefined;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened?.dispose());
    const harness = () => {
      if (!opened) throw new Error("the store is only there inside a test");
      return opened;
    };

    for (const [part, behavior] of Object.entries(behaviors)) describe(part, () => behavior(harness));
  });
}
