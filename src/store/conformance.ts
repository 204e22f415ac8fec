import { afterEach, beforeEach, describe } from "vitest";
import { branchBehaviour } from "./conformance/branches.ts";
import { breakerBehaviour } from "./conformance/breakers.ts";
import { changeBehaviour } from "./conformance/changes.ts";
import { clearingBehaviour } from "./conformance/clearing.ts";
import { crashBehaviour } from "./conformance/crash.ts";
import { feedBehaviour } from "./conformance/feed.ts";
import { fileBehaviour } from "./conformance/files.ts";
import { formatBehaviour } from "./conformance/formats.ts";
import type { OpenHarness, StoreHarness } from "./conformance/harness.ts";
import { journalBehaviour } from "./conformance/journal.ts";
import { ledgerBehaviour } from "./conformance/ledger.ts";
import { limitBehaviour } from "./conformance/limits.ts";
import { runBehaviour } from "./conformance/runs.ts";
import { sessionBehaviour } from "./conformance/sessions.ts";
import { takeoverBehaviour } from "./conformance/takeover.ts";
import { userBehaviour } from "./conformance/users.ts";

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

    describe("sessions", () => sessionBehaviour(harness));
    describe("branches", () => branchBehaviour(harness));
    describe("users", () => userBehaviour(harness));
    describe("runs", () => runBehaviour(harness));
    describe("takeover", () => takeoverBehaviour(harness));
    describe("limits", () => limitBehaviour(harness));
    describe("ledger", () => ledgerBehaviour(harness));
    describe("breakers", () => breakerBehaviour(harness));
    describe("files", () => fileBehaviour(harness));
    describe("changes", () => changeBehaviour(harness));
    describe("journal", () => journalBehaviour(harness));
    describe("feed", () => feedBehaviour(harness));
    describe("clearing", () => clearingBehaviour(harness));
    describe("formats", () => formatBehaviour(harness));
    describe("crash", () => crashBehaviour(harness));
  });
}
