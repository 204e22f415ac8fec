import type { SourceDetail } from "../../protocol/added-tools.ts";
import type { ConfiguredServer } from "./configured-server.ts";

/** How the states of a connection are called outside. */
export const SHOWN_STATES = {
  new: "starting",
  starting: "starting",
  ready: "ready",
  unauthorized: "unauthorized",
  waiting: "unavailable",
  stopped: "unavailable",
} as const;

/** Describes a server. Of secrets, only the names are told. */
export function detailOf(entry: ConfiguredServer, isInFile: boolean): SourceDetail {
  const { settings } = entry;
  const { state, detail } = entry.status();
  const shown = SHOWN_STATES[state];
  const facts =
    settings.kind === "local"
      ? { command: settings.command, args: settings.args, secrets: Object.keys(settings.env) }
      : { url: settings.url.split("?")[0] ?? "", secrets: Object.keys(settings.headers) };
  return {
    name: settings.name,
    from: isInFile ? "file" : "added",
    state: shown,
    ...(shown === "ready" || detail === "" ? {} : { problem: detail }),
    ...facts,
  };
}
