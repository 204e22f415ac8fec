import { expect, it } from "vitest";
import { wordsOfProblem } from "./problem-kinds.ts";

it.each([
  ["connect ECONNREFUSED 127.0.0.1:9", /Check that it runs/],
  ["TypeError: fetch failed", /Check that it runs/],
  ["Streamable HTTP error: 401 Unauthorized", /refused the key/],
  ["Dynamic Client Registration rejected (HTTP 404): not found", /refused the key/],
  ['there is no program "linear-mcp" on the PATH', /nothing at this address or under this name/],
  ["spawn linear-mcp ENOENT", /nothing at this address or under this name/],
  ["The program exited with code 1", /stopped by itself/],
  ["the document is neither JSON nor YAML", /isn’t an OpenAPI description/],
  ["the document sends calls, and so the key, to a.example: confirm that with baseUrl", /address of the API/],
  ["Unexpected token < in JSON at position 0", /couldn’t be connected/],
])("says in a sentence what %s means", (problem, words) => {
  expect(wordsOfProblem(problem)).toMatch(words);
});
