import type { Suite } from "./suite.ts";
import { banking } from "./suites/banking.ts";
import { slack } from "./suites/slack.ts";
import { travel } from "./suites/travel.ts";
import { workspace } from "./suites/workspace.ts";

/** 97 tasks and 35 planted sentences. */
export const SUITES: readonly Suite[] = [workspace, banking, slack, travel];
