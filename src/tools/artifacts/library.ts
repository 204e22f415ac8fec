import { createHmac, timingSafeEqual } from "node:crypto";
import type { OwnArtifacts, StoredArtifact, UserArtifacts } from "../../protocol/artifacts.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { Store } from "../../protocol/store.ts";
import { compareInWorker, processInWorker } from "./worker.ts";

export interface ArtifactLibrary {
  /** The artifacts of one person. Access to anyone else's is refused. */
  of(principal: Principal): OwnArtifacts;
  /** The version that a preview address shows; undefined where the key is wrong. */
  byKey(id: string, version: number, key: string): Promise<StoredArtifact | undefined>;
}

/** Keeps artifacts in the store. Each version has a preview address that cannot be guessed. */
export function createArtifactLibrary({ store, key }: { store: Store; key: Buffer }): ArtifactLibrary {
  const signature = (id: string, version: number) =>
    createHmac("sha256", key).update(`${id}\n${version}`).digest("base64url").slice(0, 32);
  const previewUrl = ({ id, version }: StoredArtifact) =>
    `/artifacts/${id}/preview?version=${version}&key=${signature(id, version)}`;
  const shown = (artifact: StoredArtifact) => ({ ...artifact, previewUrl: previewUrl(artifact) });

  return {
    of(principal) {
      const get = async (id: string, version?: number) =>
        own(principal, await store.getArtifact(id, version));
      async function save(draft: Parameters<UserArtifacts["save"]>[0]) {
        const artifact = await store.saveArtifact({ ...draft, userId: principal.id });
        if (!artifact) throw notYours();
        return { artifact, previewUrl: previewUrl(artifact) };
      }
      /** Saves a new version that the person made, without a run. */
      async function saveNext({ id, type, title, language, code, issues }: StoredArtifact) {
        const named = language === undefined ? {} : { language };
        return shown((await save({ id, type, title, code, issues, ...named })).artifact);
      }
      return {
        get,
        save,
        show: async (id, version) => shown(await get(id, version)),
        async versions(id) {
          const versions = await store.listArtifactVersions(id);
          own(principal, versions[0]);
          return versions.map(shown);
        },
        async diff(id, from, to) {
          const [before, after] = [await get(id, from), await get(id, to)];
          return compareInWorker(before, after);
        },
        async edit(id, code, title) {
          const current = await get(id);
          const processed = await processInWorker({ type: current.type, code, language: current.language });
          if (!processed.ok) {
            const problem = processed.issues.find(({ severity }) => severity === "error");
            const place = problem?.line === undefined ? "" : ` (line ${problem.line})`;
            throw new Failure("INVALID_INPUT", `This version does not work: ${problem?.message}${place}`, {
              details: { issues: processed.issues },
            });
          }
          const { code: fixed, issues } = processed;
          return saveNext({ ...current, title: title ?? current.title, code: fixed, issues });
        },
        restore: async (id, version) => saveNext(await get(id, version)),
      };
    },
    async byKey(id, version, given) {
      const expected = Buffer.from(signature(id, version));
      const offered = Buffer.from(given);
      if (offered.length !== expected.length || !timingSafeEqual(offered, expected)) return undefined;
      return store.getArtifact(id, version);
    },
  };
}

function own(principal: Principal, artifact: StoredArtifact | undefined): StoredArtifact {
  if (!artifact) throw new Failure("NOT_FOUND", "There is no such artifact, or no such version of it.");
  if (artifact.userId !== principal.id) throw notYours();
  return artifact;
}

function notYours(): Failure {
  return new Failure("FORBIDDEN", "This artifact belongs to somebody else.");
}
