import { join } from "node:path";
import type { CommandProfile } from "../../protocol/commands.ts";

const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Returns the environment of a command. Nothing of ours is in it but what the profile names. */
export function commandEnvironment(
  home: string,
  profile?: CommandProfile,
  lastFolder?: string,
): Record<string, string> {
  const path = [...(profile?.searchPath ?? []), SYSTEM_PATH, ...(lastFolder ? [lastFolder] : [])].join(":");
  return {
    PATH: path,
    HOME: home,
    LANG: "C.UTF-8",
    TERM: "dumb",
    ...(profile ? cachesIn(home) : {}),
    ...profile?.variables,
  };
}

/** Where package managers keep what they have downloaded: in the home folder, never in the project. */
function cachesIn(home: string): Record<string, string> {
  const cache = join(home, ".cache");
  return {
    XDG_CACHE_HOME: cache,
    npm_config_cache: join(cache, "npm"),
    PIP_CACHE_DIR: join(cache, "pip"),
    UV_CACHE_DIR: join(cache, "uv"),
    CARGO_HOME: join(home, ".cargo"),
    GOPATH: join(home, "go"),
    GOMODCACHE: join(home, "go/pkg/mod"),
  };
}
