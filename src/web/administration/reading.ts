import { useEffect, useState } from "react";
import { notifyFailure } from "../state/notices.ts";
import { ask } from "../state/server.ts";

/** What a route answers; again whenever the path or `turn` changes. What was read stays until the next is there. */
export function useReading<Answer>(path: string, turn: number): Answer | undefined {
  const [answer, setAnswer] = useState<Answer>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn is another reading
  useEffect(() => {
    let current = true;
    ask<Answer>("GET", path)
      .then((read) => current && setAnswer(read))
      .catch(notifyFailure);
    return () => {
      current = false;
    };
  }, [path, turn]);
  return answer;
}
