import { createHmac, timingSafeEqual } from "node:crypto";
import { Failure } from "./protocol/failure.ts";
import type { Principal } from "./protocol/principal.ts";
import type { Store, StoredArtifact } from "./protocol/store.ts";
import type { ArtifactShelf } from "./protocol/tool.ts";

export interface ArtifactShelves {
  /** The artifacts of one person; whatever is somebody else's is refused. */
  of(principal: Principal): ArtifactShelf & { versions(id: string): Promise<StoredArtifact[]> };
  /** The address that shows a version: whoever has it may look, as with a link. */
  previewUrl(artifact: Pick<StoredArtifact, "id" | "version">): string;
  /** The version that such an address stands for; undefined where the key is not ours. */
  preview(id: string, version: number, key: string): Promise<StoredArtifact | undefined>;
}

/** Keeps artifacts in the store and gives each version an address that cannot be guessed. */
export function createArtifactShelves({ store, key }: { store: Store; key: Buffer }): ArtifactShelves {
  const signature = (id: string, version: number) =>
    createHmac("sha256", key).update(`${id}\n${version}`).digest("base64url").slice(0, 32);
  const previewUrl = ({ id, version }: Pick<StoredArtifact, "id" | "version">) =>
    `/artifacts/${id}/preview?version=${version}&key=${signature(id, version)}`;

  function own(principal: Principal, artifact: StoredArtifact | undefined): StoredArtifact {
    if (!artifact) throw new Failure("NOT_FOUND", "There is no such artifact, or no such version of it.");
    if (artifact.userId !== principal.id)
      throw new Failure("FORBIDDEN", "This artifact belongs to somebody else.");
    return artifact;
  }

  return {
    of: (principal) => ({
      get: async (id, version) => own(principal, await store.getArtifact(id, version)),
      async save(draft) {
        const artifact = await store.saveArtifact({ ...draft, userId: principal.id });
        if (!artifact) throw new Failure("FORBIDDEN", "This artifact belongs to somebody else.");
        return { artifact, previewUrl: previewUrl(artifact) };
      },
      async versions(id) {
        const versions = await store.listArtifactVersions(id);
        own(principal, versions[0]);
        return versions;
      },
    }),
    previewUrl,
    async preview(id, version, given) {
      const expected = Buffer.from(signature(id, version));
      const offered = Buffer.from(given);
      if (offered.length !== expected.length || !timingSafeEqual(offered, expected)) return undefined;
      return store.getArtifact(id, version);
    },
  };
}
