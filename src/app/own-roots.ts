import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Principal } from "../protocol/principal.ts";
import type { Config } from "./config.ts";

type RootSettings = Pick<Config, "roots" | "sharedRoots" | "guestTools">;

const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Returns a function that returns the folders in which a person's tools may work. The owner has the roots themselves. Everybody
 * else has their own folder in the first root, unless the operator shares them.
 */
export function createRootsOf({ roots, sharedRoots, guestTools }: RootSettings) {
  const [first] = roots;
  const guestsHaveFolders = guestTools.some((name) => name === "filesystem" || name === "execute_command");
  const created = new Set<string>();
  return ({ id, kind }: Principal): readonly string[] => {
    if (kind === "guest" && !guestsHaveFolders) return [];
    if (kind === "owner" || sharedRoots || first === undefined) return roots;
    const own = ownFolder(first, id);
    if (!created.has(own)) mkdirSync(own, { recursive: true, mode: 0o700 });
    created.add(own);
    return [own];
  };
}

/** The folder of a person in a root. */
export function ownFolder(root: string, id: string): string {
  // An outside issuer chooses its ids, so one could be a path.
  const name = PLAIN_NAME.test(id)
    ? id
    : `user-${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
  return join(root, name);
}
