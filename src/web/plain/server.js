const RECONNECT_DELAYS_MS = [300, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000];

/** An answer of the server that says no, in its own words. */
export class Refusal extends Error {
  constructor(status, body) {
    super(body?.error ?? `The server answered with status ${status}.`);
    this.status = status;
    this.code = body?.code;
  }
}

/** Calls a route and reads its JSON. */
export async function call(path, { method = "GET", body } = {}) {
  const response = await fetch(path, {
    method,
    headers: { accept: "application/json", ...(body ? { "content-type": "application/json" } : {}) },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw await refusalOf(response);
  return response.status === 204 ? undefined : response.json();
}

/** Starts a turn and hands over its events until the end. A lost connection is taken up again after the last event. */
export async function send(request, { onEvent, signal }) {
  const key = randomKey();
  const open = () =>
    fetch("/chat", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream", "idempotency-key": key },
      body: JSON.stringify(request),
      signal,
    });
  await readToTheEnd(open, { onEvent, signal });
}

/** Follows a run from its first event. */
export async function follow(runId, { onEvent, signal }) {
  await readToTheEnd(() => openEvents(runId, 0, signal), { onEvent, signal, runId });
}

async function readToTheEnd(open, { onEvent, signal, runId }) {
  const place = { runId, seq: 0 };
  let failures = 0;
  for (;;) {
    try {
      const response = await (place.seq > 0 ? openEvents(place.runId, place.seq, signal) : open());
      if (!response.ok) throw await refusalOf(response);
      for await (const frame of framesOf(response.body)) {
        if (frame.data === "[DONE]") return;
        failures = 0;
        const event = JSON.parse(frame.data);
        if (event.type === "session") place.runId = event.runId;
        place.seq = Number(frame.id);
        onEvent(event);
      }
    } catch (error) {
      const final = error instanceof Refusal && !(error.status === 503 && place.seq > 0);
      if (final || signal.aborted) throw error;
    }
    if (signal.aborted) return;
    if (failures >= RECONNECT_DELAYS_MS.length) {
      throw new Error("The connection was lost. Reload the page to go on: nothing that was said is lost.");
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_DELAYS_MS[failures]));
    failures += 1;
  }
}

function openEvents(runId, after, signal) {
  return fetch(`/runs/${encodeURIComponent(runId)}/events`, {
    headers: { accept: "text/event-stream", "last-event-id": String(after) },
    signal,
  });
}

async function* framesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const frame = {};
      for (const line of rest.slice(0, end).split("\n")) {
        const [, field, text] = /^(id|data): ?(.*)$/.exec(line) ?? [];
        if (field) frame[field] = text;
      }
      rest = rest.slice(end + 2);
      if (frame.data !== undefined) yield frame;
    }
  }
}

async function refusalOf(response) {
  const body = await response.json().catch(() => undefined);
  return new Refusal(response.status, body);
}

/** Not randomUUID: browsers offer that on secure pages only. */
function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
