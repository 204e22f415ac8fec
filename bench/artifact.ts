import type { Browser, CDPSession, Page } from "playwright-core";
import { processArtifact } from "../src/tools/artifacts/pipeline.ts";
import { startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { longComponent } from "../src/tools/artifacts/testing/long-component.ts";
import { startServer, temporaryFolder } from "../test/support/server.ts";

const ROUNDS = 15;
const PIPELINE_ROUNDS = 200;
const WARM_UP = 20;
const CODE = `import { useState } from "react";
import { Heart } from "lucide-react";
export default function App() {
  const [n, setN] = useState(0);
  return (
    <main className="grid min-h-screen place-items-center bg-slate-100 p-6">
      <section className="rounded-xl bg-white p-8 shadow-lg">
        <h1 className="text-2xl font-bold"><Heart /> Counter {n}</h1>
        <button className="mt-4 rounded bg-sky-600 px-4 py-2 text-white" onClick={() => setN(n + 1)}>more</button>
      </section>
    </main>
  );
}
`;

interface Timing {
  /** The time from sending the code to its first paint. */
  wall: number;
  /** The CPU time of the browser's page in that time. */
  cpu: number;
}

/** Measures the pipeline for 300 lines of code, and the time from the last byte of code to the painted component. */
export async function run(): Promise<void> {
  await measurePipeline();
  const folder = temporaryFolder();
  const server = await startServer(folder.path);
  const browser = await startBrowser();
  try {
    await makeArtifact(server.url);
    report("frame ready", await measure(browser, server.url, "ready"), 150);
    report("cold", await measure(browser, server.url, "cold"), 1_000);
  } finally {
    await browser.close();
    await server.stop();
    folder.remove();
  }
}

async function measurePipeline(): Promise<void> {
  const code = longComponent();
  const times: number[] = [];
  for (let round = 0; round < PIPELINE_ROUNDS; round++) {
    const began = process.threadCpuUsage();
    const { ok } = await processArtifact({ type: "react", code });
    const { user, system } = process.threadCpuUsage(began);
    if (round >= WARM_UP) times.push((user + system) / 1_000);
    if (!ok) throw new Error("the benchmark's component does not compile");
  }
  const lines = code.split("\n").length;
  console.log(
    `pipeline, ${lines} lines with 45 mistakes, CPU: p50 ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms (figure: under 20 ms)`,
  );
}

/** Starts the server's artifact process, which also runs while a model is still writing. */
async function makeArtifact(url: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  await fetch(`${url}/tools/generate_artifact`, {
    method: "POST",
    headers,
    body: JSON.stringify({ type: "react", code: CODE }),
  });
}

async function measure(browser: Browser, url: string, kind: "ready" | "cold"): Promise<Timing[]> {
  const timings: Timing[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // A new context has an empty cache.
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url);
    if (kind === "ready") await openEmptyFrame(page);
    const tracing = await context.newCDPSession(page);
    const stop = await trace(tracing);
    const wall = await page.evaluate(showCode, { code: CODE.replace("Counter", `Counter ${round}`), kind });
    timings.push({ wall, cpu: await stop() });
    await context.close();
  }
  return timings;
}

/** Opens the frame before the code arrives, like the app does when a call starts. */
async function openEmptyFrame(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const frame = document.createElement("iframe");
        frame.sandbox.add("allow-scripts");
        frame.src = "/artifacts/frame";
        document.body.replaceChildren();
        addEventListener("message", ({ data }) => data.type === "ready" && resolve(), { once: true });
        document.body.append(frame);
      }),
  );
}

/** Runs in the page: sends the code, shows the result, and returns the milliseconds until it was painted. */
async function showCode({ code, kind }: { code: string; kind: "ready" | "cold" }): Promise<number> {
  const began = performance.now();
  const painted = new Promise<number>((resolve) => {
    addEventListener(
      "message",
      ({ data }) => data.type === "ready" && requestAnimationFrame(() => resolve(performance.now() - began)),
    );
  });
  const headers = { "content-type": "application/json" };
  const made = await fetch("/tools/generate_artifact", {
    method: "POST",
    headers,
    body: JSON.stringify({ type: "react", code }),
  });
  const { data } = (await made.json()) as { data: { artifactId: string; previewUrl: string } };
  if (kind === "ready") {
    const compiled = await (await fetch(`/artifacts/${data.artifactId}/compiled`)).json();
    document.querySelector("iframe")?.contentWindow?.postMessage({ type: "show", ...compiled }, "*");
  } else {
    const frame = document.createElement("iframe");
    frame.sandbox.add("allow-scripts");
    frame.src = data.previewUrl;
    document.body.replaceChildren();
    document.body.append(frame);
  }
  const late = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error("the artifact was not painted within 20 s")), 20_000),
  );
  return Promise.race([painted, late]);
}

interface TraceEvent {
  name: string;
  tdur?: number;
}

/** Starts a trace. The returned function ends it and returns the CPU time of all renderer tasks. */
async function trace(session: CDPSession): Promise<() => Promise<number>> {
  const events: TraceEvent[] = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send("Tracing.start", {
    categories: "toplevel,disabled-by-default-devtools.timeline",
    transferMode: "ReportEvents",
  });
  return async () => {
    const ended = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
    await session.send("Tracing.end");
    await ended;
    const tasks = events.filter(({ name }) => name === "RunTask" || name === "ThreadControllerImpl::RunTask");
    return tasks.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1_000;
  };
}

function report(name: string, timings: Timing[], figure: number): void {
  const wall = timings.map((one) => one.wall);
  const cpu = timings.map((one) => one.cpu);
  console.log(
    `code to paint, ${name}: p50 ${percentile(wall, 0.5).toFixed(0)} ms, p95 ${percentile(wall, 0.95).toFixed(0)} ms (figure: ${figure} ms); CPU of the browser's tasks p50 ${percentile(cpu, 0.5).toFixed(0)} ms, p95 ${percentile(cpu, 0.95).toFixed(0)} ms`,
  );
}

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
