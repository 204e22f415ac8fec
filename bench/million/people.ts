import { setTimeout as pause } from "node:timers/promises";
import { answerQuestions } from "../load/child.ts";
import { TOKEN_GAP_MS } from "../load/figures.ts";

// A child process with people who each ask a few questions, one after the other.

export interface Crowd {
  url: string;
  people: number;
  turnsEach: number;
  tokens: number;
  speed: "slowly" | "at once";
}

const START_GAP_MS = 15;
const RETRY_MS = 1_000;

/** Lets everybody ask. Rejects if an answer is not complete. */
async function talk({ url, people, turnsEach, tokens, speed }: Crowd): Promise<void> {
  await Promise.all(
    Array.from({ length: people }, async (_, at) => {
      // They come one after the other, and their tokens at different moments.
      await pause(speed === "slowly" ? at * START_GAP_MS + ((at * 7) % TOKEN_GAP_MS) : 0);
      for (let turn = 0; turn < turnsEach; turn++) await ask(url, `Write ${tokens} tokens ${speed}, please.`);
    }),
  );
}

async function ask(url: string, message: string): Promise<void> {
  const response = await fetch(`${url}/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message }),
  });
  const said = await response.text();
  if (response.status === 503) {
    // On a busy machine, a server may be full for a moment.
    await pause(RETRY_MS);
    return ask(url, message);
  }
  if (!said.includes('"type":"done"')) throw new Error(`a turn failed: ${said.slice(-300)}`);
}

answerQuestions({ talk });
