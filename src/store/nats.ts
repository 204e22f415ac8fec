import type { StreamInfo } from "@nats-io/jetstream";
import type { EventJournal } from "../protocol/event-journal.ts";
import { Appender } from "./nats/appender.ts";
import { type ClusterOptions, openCluster } from "./nats/cluster.ts";
import { journalFailure } from "./nats/failures.ts";
import { Followers } from "./nats/followers.ts";
import { decodeMessage } from "./nats/messages.ts";
import { Reader } from "./nats/reader.ts";
import { numberOf, placeOf, runOf, streamName, subjectsOf } from "./nats/subjects.ts";

/** An epoch above every owner's: it ends what owners can write. */
const DELETED = 2 ** 31;
/** How long it stays. Owners that were silent for half as long ask the database before they write. */
const MARKED_MS = 2 * 60 * 60_000;
const AT_ONCE = 32;

/** Opens the event journal on a NATS cluster with JetStream. */
export async function openNatsJournal(options: ClusterOptions): Promise<EventJournal> {
  const cluster = await openCluster(options);
  const { connection, manager, name, streams, createdAt } = cluster;
  const reader = new Reader(cluster);
  const appender = new Appender(cluster, reader);
  const followers = new Followers(cluster);
  const numbers = Array.from({ length: streams }, (_, number) => number);

  async function removeRun(runId: string, why: "moved" | "deleted"): Promise<void> {
    const { stream, prefix } = placeOf(name, streams, runId);
    const filter = `${prefix}*`;
    const last = await manager.streams.getMessage(stream, { last_by_subj: filter });
    if (!last) return;
    const isOld = Date.now() - last.time.getTime() > MARKED_MS;
    const { epoch } = decodeMessage(last.string(), numberOf(last.subject));
    if (isOld || (why === "moved" && epoch === 1)) await manager.streams.purge(stream, { filter });
    else {
      // The last message takes the number that former owners would use.
      if (epoch !== DELETED) await appender.fence(runId, DELETED);
      await manager.streams.purge(stream, { filter, keep: 1 });
    }
    appender.forget(runId);
    reader.forget(runId);
  }

  async function infos(): Promise<StreamInfo[]> {
    const asked = numbers.map((number) => manager.streams.info(streamName(name, number)));
    return Promise.all(asked).catch((error: unknown) => {
      throw journalFailure(error);
    });
  }

  return {
    id: `${name} ${createdAt}`,
    fence: (runId, epoch) => appender.fence(runId, epoch),
    append: (batch) => appender.append(batch),
    read: (runId, after, limit) => reader.read(runId, after, limit, () => appender.newest(runId)),
    follow: (runId, wake) => followers.follow(runId, wake),
    async remove(runIds, why) {
      for (let start = 0; start < runIds.length; start += AT_ONCE)
        await Promise.all(runIds.slice(start, start + AT_ONCE).map((runId) => removeRun(runId, why)));
    },
    async list(limit) {
      const runs = new Set<string>();
      for (const number of numbers) {
        const { written } = subjectsOf(name, number);
        const { state } = await manager.streams.info(streamName(name, number), { subjects_filter: written });
        for (const subject of Object.keys(state.subjects ?? {})) runs.add(runOf(subject));
        if (runs.size >= limit) break;
      }
      return [...runs].slice(0, limit);
    },
    async check() {
      const lost = (await infos()).find((info) => !hasMajority(info));
      if (lost) throw journalFailure(new Error(`most nodes of ${lost.config.name} are gone`));
    },
    async stats() {
      const found = (await infos()).map(({ state }) => state);
      return {
        journalMessages: found.reduce((sum, { messages }) => sum + messages, 0),
        journalBytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
      };
    },
    async close() {
      appender.close();
      await connection.close();
    },
  };
}

/** A node that is left alone answers too, and it may take itself for the leader. */
function hasMajority({ cluster }: StreamInfo): boolean {
  if (!cluster) return true;
  const { leader, replicas = [] } = cluster;
  const present = replicas.filter(({ offline }) => !offline).length + 1;
  return Boolean(leader) && present > (replicas.length + 1) / 2;
}
