import { randomUUID } from "node:crypto";
import { z } from "zod";
import { Failure } from "../protocol/failure.ts";
import { fieldsOf, type SavedPrompt } from "../protocol/prompt-fields.ts";
import type { NewPrompt, Prompts } from "../protocol/prompts.ts";
import type { Store } from "../protocol/store.ts";

/** They are settings of the person, so they are moved, backed up and erased with them. */
const PREFIX = "prompt:";
const MOST = 100;
const MOST_CHARACTERS = 200_000;

const stored = z.object({
  name: z.string(),
  description: z.string().optional(),
  text: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** Keeps the prompts that people save. */
export function createPrompts(store: Pick<Store, "getSettings" | "putSetting">): Prompts {
  async function list(userId: string): Promise<SavedPrompt[]> {
    const found = Object.entries(await store.getSettings(userId)).flatMap(([setting, value]) => {
      const read = setting.startsWith(PREFIX) ? stored.safeParse(value) : undefined;
      if (!read?.success) return [];
      const { description, ...rest } = read.data;
      const id = setting.slice(PREFIX.length);
      return [{ id, ...rest, ...(description ? { description } : {}), fields: fieldsOf(rest.text) }];
    });
    return found.sort((left, right) => left.name.localeCompare(right.name));
  }

  async function put(
    userId: string,
    id: string,
    { name, description, text, createdAt }: NewPrompt & { createdAt: string },
    others: readonly SavedPrompt[],
  ): Promise<SavedPrompt> {
    if (others.some((one) => one.name.toLowerCase() === name.toLowerCase()))
      throw new Failure("CONFLICT", "Another prompt already has this name.");
    const characters = others.reduce((sum, one) => sum + one.text.length, text.length);
    if (others.length >= MOST || characters > MOST_CHARACTERS)
      throw new Failure(
        "INVALID_INPUT",
        `At most ${MOST} prompts can be saved, and ${MOST_CHARACTERS} characters in all.`,
      );
    const value = {
      name,
      ...(description ? { description } : {}),
      text,
      createdAt,
      updatedAt: new Date().toISOString(),
    };
    await store.putSetting(userId, PREFIX + id, value);
    return { id, ...value, fields: fieldsOf(text) };
  }

  async function find(userId: string, id: string) {
    const all = await list(userId);
    const prompt = all.find((one) => one.id === id);
    if (!prompt) throw new Failure("NOT_FOUND", "There is no such prompt.");
    return { prompt, others: all.filter((one) => one !== prompt) };
  }

  return {
    list,
    async add(userId, prompt) {
      const createdAt = new Date().toISOString();
      return put(userId, randomUUID(), { ...prompt, createdAt }, await list(userId));
    },
    async change(userId, id, change) {
      const { prompt, others } = await find(userId, id);
      return put(userId, id, { ...prompt, ...change }, others);
    },
    async remove(userId, id) {
      await find(userId, id);
      await store.putSetting(userId, PREFIX + id, undefined);
    },
  };
}
