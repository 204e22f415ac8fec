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
import { projectBehavior } from "./conformance/projects.ts";
import { resultBehavior } from "./conformance/results.ts";
import { runBehavior } from "./conformance/runs.ts";
import { searchBehavior } from "./conformance/search.ts";
import { sessionBehavior } from "./conformance/sessions.ts";
import { shareBehavior } from "./conformance/shares.ts";
import { takeoverBehavior } from "./conformance/takeover.ts";
import { userBehavior } from "./conformance/users.ts";

/** What every engine has to do, as tests over a fresh database each. */
export function storeConformance(name: string, open: OpenHarness): void {
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

    describe("sessions", () => sessionBehavior(harness));
    describe("search", () => searchBehavior(harness));
    describe("accounts", () => accountBehavior(harness));
    describe("branches", () => branchBehavior(harness));
    describe("users", () => userBehavior(harness));
    describe("runs", () => runBehavior(harness));
    describe("takeover", () => takeoverBehavior(harness));
    describe("messages to runs", () => inputBehavior(harness));
    describe("limits", () => limitBehavior(harness));
    describe("ledger", () => ledgerBehavior(harness));
    describe("audit log", () => auditBehavior(harness));
    describe("breakers", () => breakerBehavior(harness));
    describe("files", () => fileBehavior(harness));
    describe("changes", () => changeBehavior(harness));
    describe("results", () => resultBehavior(harness));
    describe("contexts", () => contextBehavior(harness));
    describe("conversations", () => conversationBehavior(harness));
    describe("links and feedback", () => shareBehavior(harness));
    describe("tasks of other programs", () => mcpTaskBehavior(harness));
    describe("projects", () => projectBehavior(harness));
    describe("journal", () => journalBehavior(harness));
    describe("feed", () => feedBehavior(harness));
    describe("erasing", () => erasingBehavior(harness));
    describe("folding", () => foldingBehavior(harness));
    describe("clearing", () => clearingBehavior(harness));
    describe("formats", () => formatBehavior(harness));
    describe("crash", () => crashBehavior(harness));
  });
}
