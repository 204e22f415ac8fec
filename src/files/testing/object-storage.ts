import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { AwsClient } from "aws4fetch";
import type { S3Options } from "../s3.ts";

export interface ObjectStorage {
  options: S3Options;
  stop(): Promise<void>;
}

const run = promisify(execFile);
const PROGRAMS = ["ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "monmaptool", "ceph-authtool", "ceph"];
const PATIENCE_MS = 50_000;

/** Returns why there is no object storage to test with, or undefined if there is. */
export function missingObjectStorage(): string | undefined {
  const missing = PROGRAMS.filter((name) => !existsSync(`/usr/bin/${name}`));
  return missing.length === 0 ? undefined : `${missing.join(", ")} not installed`;
}

/** A Ceph cluster in memory, only on loopback, with its S3 gateway and one bucket. */
export async function startObjectStorage(): Promise<ObjectStorage> {
  const folder = mkdtempSync(join(tmpdir(), "tackle-ceph-"));
  const [first, second, gateway] = await Promise.all([freePort(), freePort(), freePort()]);
  const address = `[v2:127.0.0.1:${first},v1:127.0.0.1:${second}]`;
  const fsid = randomUUID();
  const conf = join(folder, "ceph.conf");
  const keyring = join(folder, "keyring");
  for (const name of ["mon", "osd", "rgw"]) mkdirSync(join(folder, name));
  writeFileSync(conf, configuration({ folder, fsid, address, gateway }));
  const children: ChildProcess[] = [];
  const start = (program: string, ...args: string[]) =>
    children.push(spawn(program, ["-c", conf, "-f", ...args], { stdio: "ignore" }));
  const stop = async () => {
    for (const child of children.reverse()) await ended(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const caps = ["--cap", "mon", "allow *", "--cap", "osd", "allow *"];
    await run("ceph-authtool", ["-C", keyring, "--gen-key", "-n", "mon.", "--cap", "mon", "allow *"]);
    await run("ceph-authtool", [keyring, "--gen-key", "-n", "client.admin", ...caps]);
    await run("ceph-authtool", [keyring, "--gen-key", "-n", "osd.0", ...caps]);
    const monmap = join(folder, "monmap");
    await run("monmaptool", ["--create", "--fsid", fsid, "--addv", "a", address, monmap]);
    await run("ceph-mon", ["-c", conf, "--mkfs", "-i", "a", "--monmap", monmap, "--keyring", keyring]);
    start("ceph-mon", "-i", "a");
    const osd = randomUUID();
    await run("ceph", ["-c", conf, "osd", "new", osd], { timeout: PATIENCE_MS });
    await run("ceph-osd", ["-c", conf, "-i", "0", "--mkfs", "--osd-uuid", osd]);
    start("ceph-osd", "-i", "0");
    const user = ["user", "create", "--uid=tackle", "--display-name=Tackle"];
    const keys = { accessKeyId: "TACKLETESTKEY", secretAccessKey: randomUUID() };
    const given = [`--access-key=${keys.accessKeyId}`, `--secret-key=${keys.secretAccessKey}`];
    await run("radosgw-admin", ["-c", conf, ...user, ...given], { timeout: PATIENCE_MS });
    start("radosgw", "-n", "client.admin");
    const endpoint = `http://127.0.0.1:${gateway}`;
    await answering(endpoint);
    const client = new AwsClient({ ...keys, service: "s3", region: "us-east-1" });
    const made = await client.fetch(`${endpoint}/tackle-files`, { method: "PUT" });
    if (!made.ok) throw new Error(`the bucket was not made: ${made.status} ${await made.text()}`);
    return { options: { endpoint, bucket: "tackle-files", region: "us-east-1", ...keys }, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

interface Cluster {
  folder: string;
  fsid: string;
  address: string;
  gateway: number;
}

function configuration({ folder, fsid, address, gateway }: Cluster): string {
  return `[global]
fsid = ${fsid}
mon host = ${address}
keyring = ${folder}/keyring
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd crush chooseleaf type = 0
mon allow pool size one = true
paxos propose interval = 0.05
mon data = ${folder}/mon
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 268435456
log file =
mon cluster log file =
admin socket =
run dir = ${folder}
pid file =
crash dir = ${folder}
ms bind ipv6 = false
public addr = 127.0.0.1
rgw frontends = beast endpoint=127.0.0.1:${gateway}
rgw data = ${folder}/rgw
`;
}

async function answering(url: string): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await pause(100)) {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    if (Date.now() > deadline) throw new Error("the object storage does not answer");
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return address.port;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
