import { claudeCode } from "./agents/claude-code.ts";
import { cline } from "./agents/cline.ts";
import { codex } from "./agents/codex.ts";
import { continueCli } from "./agents/continue.ts";
import { copilot } from "./agents/copilot.ts";
import { opencode } from "./agents/opencode.ts";
import { pi } from "./agents/pi.ts";
import { qwenCode } from "./agents/qwen-code.ts";
import type { Client } from "./client.ts";
import { SDKS } from "./sdks/catalogue.ts";

export const CLIENTS: readonly Client[] = [
  codex,
  claudeCode,
  opencode,
  qwenCode,
  cline,
  continueCli,
  copilot,
  pi,
  ...SDKS,
];
