import { join } from "node:path";
import type { ResourceContents } from "../protocol/content.ts";
import { encodingOf } from "../protocol/file-type.ts";
import type { Files } from "../protocol/files.ts";
import type { OfferChange, OfferedPrompt, OfferedResource, Offerings } from "../protocol/offerings.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Store } from "../protocol/store.ts";
import type { Workspace } from "../protocol/workspace.ts";
import type { ArtifactLibrary } from "../tools/artifacts/library.ts";
import { promptFiles, RESOURCE_FILES } from "../tools/offered-files.ts";
import { watchedFolder } from "../tools/watched-folder.ts";
import { readFrontMatter } from "../workspace/front-matter.ts";

const IS_TEXT = /^text\/|^application\/(json|xml|yaml)|^image\/svg/;
const MOST_COMPLETIONS = 100;

export interface OfferingParts {
  dataDir: string;
  workspace: Workspace;
  files: Files;
  artifacts: ArtifactLibrary;
  store: Pick<Store, "listArtifacts">;
  onProblem(line: string): void;
}

/**
 * Opens what is offered besides tools: prompts and resources from the data directory, for everybody, and each person's skills,
 * files and artifacts, for that person.
 */
export async function openOfferings(parts: OfferingParts): Promise<Offerings & { close(): void }> {
  const { dataDir, onProblem } = parts;
  const listeners = new Set<(change: OfferChange) => void>();
  const tell = (change: OfferChange) => {
    for (const listener of listeners) listener(change);
  };
  let prompts: OfferedPrompt[] = [];
  let resources: OfferedResource[] = [];
  const promptWatcher = await watchedFolder(
    join(dataDir, "prompts"),
    promptFiles(readFrontMatter),
    onProblem,
    (found) => {
      prompts = found.map(({ made }) => made);
      tell("prompts");
    },
  );
  const resourceWatcher = await watchedFolder(
    join(dataDir, "resources"),
    RESOURCE_FILES,
    onProblem,
    (found) => {
      const before = new Map(resources.map((resource) => [resource.uri, resource]));
      resources = found.flatMap(({ made }) => made);
      tell("resources");
      for (const resource of resources) {
        const old = before.get(resource.uri);
        if (old !== undefined && old !== resource) tell({ uri: resource.uri });
      }
    },
  );
  return {
    async prompts(principal) {
      const skills = await skillPrompts(parts, principal);
      const names = new Set(prompts.map(({ name }) => name));
      return [...prompts, ...skills.filter(({ name }) => !names.has(name))];
    },
    async resources(principal) {
      const addresses = new Set(resources.map(({ uri }) => uri));
      const own = [...(await ownFiles(parts, principal)), ...(await ownArtifacts(parts, principal))];
      return [...resources, ...own.filter(({ uri }) => !addresses.has(uri))];
    },
    onChange(callback) {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
    close() {
      promptWatcher.close();
      resourceWatcher.close();
    },
  };
}

/** A skill is a prompt: its instructions, and what to do with them. */
async function skillPrompts({ workspace }: OfferingParts, principal: Principal): Promise<OfferedPrompt[]> {
  const { skills } = (await workspace.read(principal)) ?? { skills: [] };
  return skills.map((skill) => ({
    name: skill.name,
    description: skill.description,
    arguments: [{ name: "task", description: "What to do", required: false }],
    async get({ task = "" }) {
      const instructions = await workspace.skillText(skill);
      const text = task === "" ? instructions : `${instructions}\n\n${task}`;
      return [{ role: "user", content: { type: "text", text } }];
    },
  }));
}

async function ownFiles({ files }: OfferingParts, { id: userId }: Principal): Promise<OfferedResource[]> {
  const description = "A file that you have uploaded, or that was made for you.";
  return withTemplate("file", description, await files.list(userId), async (uri, id) => {
    const file = await files.own(userId, id);
    const bytes = Buffer.from(await files.read(file));
    const held = IS_TEXT.test(file.mimeType)
      ? { text: new TextDecoder(encodingOf(file.mimeType)).decode(bytes) }
      : { blob: bytes.toString("base64") };
    return [{ uri, mimeType: file.mimeType, ...held }];
  });
}

async function ownArtifacts(
  { artifacts, store }: OfferingParts,
  principal: Principal,
): Promise<OfferedResource[]> {
  const listed = await store.listArtifacts(principal.id);
  const shown = listed.map(({ id, title, type }) => ({ id, name: title, mimeType: mimeTypeOf(type) }));
  return withTemplate("artifact", "The newest version of an artifact of yours.", shown, async (uri, id) => {
    const { type, code } = await artifacts.of(principal).get(id);
    return [{ uri, mimeType: mimeTypeOf(type), text: code }];
  });
}

/** Resources with ids: those that are listed, and one for all. */
function withTemplate(
  kind: "file" | "artifact",
  description: string,
  listed: readonly { id: string; name: string; mimeType: string; size?: number }[],
  read: (uri: string, id: string) => Promise<ResourceContents[]>,
): OfferedResource[] {
  const address = (id: string) => `tackle://${kind}s/${id}`;
  const each = listed.map(({ id, name, mimeType, size }) => ({
    uri: address(id),
    template: false,
    name,
    mimeType,
    size,
    read: (uri: string) => read(uri, id),
  }));
  const all: OfferedResource = {
    uri: address("{id}"),
    template: true,
    name: kind,
    description,
    read: (uri, { id = "" }) => read(uri, id),
    complete: async (_, value) =>
      listed.flatMap(({ id }) => (id.startsWith(value) ? [id] : [])).slice(0, MOST_COMPLETIONS),
  };
  return [...each, all];
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  svg: "image/svg+xml",
  markdown: "text/markdown",
  mermaid: "text/vnd.mermaid",
};

function mimeTypeOf(type: string): string {
  return MIME_TYPES[type] ?? "text/plain";
}
