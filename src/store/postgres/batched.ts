/** Answers many queries at once, in their order. */
type AskAll<Question, Answer> = (questions: Question[]) => Promise<Answer[]>;

interface Waiting<Question, Answer> {
  question: Question;
  answers: PromiseWithResolvers<Answer>;
}

/** The most questions in one statement. */
const MAX_BATCH = 500;

/**
 * Returns a function that asks its question together with all others of the same moment: one notification wakes hundreds
 * of followers, and each of them reads. The same question is asked once.
 */
export function batched<Question, Answer>(
  askAll: AskAll<Question, Answer>,
  keyOf: (question: Question) => string,
): (question: Question) => Promise<Answer> {
  let waiting = new Map<string, Waiting<Question, Answer>>();

  async function send(): Promise<void> {
    const sent = [...waiting.values()];
    if (sent.length === 0) return;
    waiting = new Map();
    try {
      const found = await askAll(sent.map(({ question }) => question));
      for (const [index, { answers }] of sent.entries()) answers.resolve(found[index] as Answer);
    } catch (error) {
      for (const { answers } of sent) answers.reject(error);
    }
  }

  return (question) => {
    const key = keyOf(question);
    const known = waiting.get(key);
    if (known) return known.answers.promise;
    if (waiting.size === MAX_BATCH) void send();
    if (waiting.size === 0) queueMicrotask(send);
    const answers = Promise.withResolvers<Answer>();
    waiting.set(key, { question, answers });
    return answers.promise;
  };
}
