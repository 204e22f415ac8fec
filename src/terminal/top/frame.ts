import type { Reading } from "./read-server.ts";

/** What one frame shows, and `--json` prints. Rates are over the window; they are missing until there are two readings. */
export interface Frame {
  /** ISO. */
  at: string;
  server: string;
  ready: boolean;
  /** How far apart the readings are that the rates come from. */
  windowSeconds: number;
  runs: { active: number; waiting: number; endedPerSecond?: number | undefined; failed?: number | undefined };
  streams?: { open: number; openedPerSecond?: number | undefined; dropped?: number | undefined };
  tokensPerSecond?: { input?: number | undefined; output?: number | undefined };
  cost: { usdPerMinute?: number | undefined; todayUsd: number };
  process?: {
    processes: number;
    cpuPercent?: number | undefined;
    memoryBytes?: number | undefined;
    lagMs?: number | undefined;
    upSeconds?: number | undefined;
  };
  active: Reading["runs"];
  openBreakers: string[];
  errorsToday: Reading["today"]["errors"];
}

/** Rates are over at most this long, so that they do not jump: vendors report tokens at the end of an answer. */
const WINDOW_MS = 60_000;

/** Returns a function that makes a frame of each reading, with rates since earlier ones. */
export function createFrames(server: string): (reading: Reading) => Frame {
  const readings: Reading[] = [];

  return (reading) => {
    const { at, ready, runs, openBreakers, metrics, today } = reading;
    const last = readings.at(-1);
    const since = (name: string, label?: string, from = readings[0]) => {
      if (!from?.metrics || !metrics || at <= from.at) return undefined;
      // What was never counted has no sample yet. A process that was restarted counts from zero.
      const now = metrics.sum(name, label) ?? 0;
      const added = now - (from.metrics.sum(name, label) ?? 0);
      return { added: added < 0 ? now : added, seconds: (at - from.at) / 1_000 };
    };
    const rate = (name: string, label?: string, from?: Reading) => {
      const found = since(name, label, from);
      return found && found.added / found.seconds;
    };
    const cpu = rate("process_cpu_seconds_total", undefined, last);
    const lag = metrics?.sum("tackle_event_loop_lag_seconds");
    const started = metrics?.sum("process_start_time_seconds");
    const costRate = rate("tackle_model_cost_usd_total");
    const frame: Frame = {
      at: new Date(at).toISOString(),
      server,
      ready,
      windowSeconds: Math.round((at - (readings[0]?.at ?? at)) / 1_000),
      runs: {
        active: Math.max(runs.length, metrics?.sum("tackle_active_runs") ?? 0),
        waiting: runs.filter(({ status }) => status === "waiting").length,
        endedPerSecond: rate("tackle_runs_ended_total"),
        failed: since("tackle_runs_ended_total", 'status="error"')?.added,
      },
      cost: { usdPerMinute: costRate && costRate * 60, todayUsd: today.costUsd },
      ...(metrics && {
        streams: {
          open: metrics.sum("tackle_sse_streams") ?? 0,
          openedPerSecond: rate("tackle_sse_opened_total"),
          dropped: since("tackle_sse_ended_total", 'reason="dropped"')?.added,
        },
        tokensPerSecond: {
          input: rate("tackle_model_tokens_total", 'kind="input"'),
          output: rate("tackle_model_tokens_total", 'kind="output"'),
        },
        process: {
          processes: metrics.sum("tackle_processes") ?? 1,
          cpuPercent: cpu && cpu * 100,
          memoryBytes: metrics.sum("process_resident_memory_bytes"),
          lagMs: lag === undefined ? undefined : lag * 1_000,
          upSeconds: started === undefined ? undefined : at / 1_000 - started,
        },
      }),
      active: runs,
      openBreakers,
      errorsToday: today.errors,
    };
    readings.push(reading);
    while (readings.length > 1 && at - (readings[0]?.at ?? at) > WINDOW_MS) readings.shift();
    return frame;
  };
}
