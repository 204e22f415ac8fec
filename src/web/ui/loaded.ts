import { useEffect, useState } from "react";
import { connection, isCutOff } from "../state/connection.ts";
import { notifyUnlessCutOff } from "../state/notices.ts";
import { ask } from "../state/server.ts";

/**
 * Loads a value, and again whenever `key` changes. Until a new value arrives, the one before stays if `keep` is set. What can't be
 * loaded without a connection is loaded when there is one again.
 */
export function useLoaded<Value>(
  key: string,
  load: () => Promise<Value>,
  { keep = false } = {},
): Value | undefined {
  const [loaded, setLoaded] = useState<{ key: string; value: Value }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what is loaded
  useEffect(() => {
    let current = true;
    let isMissing = false;
    const read = () => {
      isMissing = false;
      load()
        .then((value) => current && setLoaded({ key, value }))
        .catch((thrown: unknown) => {
          isMissing = isCutOff(connection.getState());
          notifyUnlessCutOff(thrown);
        });
    };
    read();
    const stop = connection.subscribe((now) => isMissing && !isCutOff(now) && read());
    return () => {
      current = false;
      stop();
    };
  }, [key]);
  return keep || loaded?.key === key ? loaded?.value : undefined;
}

/** Loads what a route returns, and again whenever the path or `turn` changes. The value before stays meanwhile. */
export function useRoute<Answer>(path: string, turn = 0): Answer | undefined {
  return useLoaded(`${turn} ${path}`, () => ask<Answer>("GET", path), { keep: true });
}
