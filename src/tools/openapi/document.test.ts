import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { credentialsOf } from "./auth.ts";
import { baseUrlOf } from "./base-url.ts";
import { loadDocument } from "./document.ts";
import { type Operation, readOperations } from "./operations.ts";
import { buildRequest } from "./request.ts";

const folder = mkdtempSync(join(tmpdir(), "tackle-documents-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function read(text: string) {
  const file = join(folder, "document");
  writeFileSync(file, text);
  const document = await loadDocument(file);
  const problems: string[] = [];
  const operations = readOperations(document, (line) => problems.push(line));
  return { document, operations, problems };
}

const request = (operation: Operation | undefined, args: Record<string, unknown>) => {
  if (!operation) throw new Error("there is no such operation");
  return buildRequest("https://api.example", operation, args, { headers: {}, query: {}, secrets: [] });
};

describe("a document in YAML", () => {
  it("is read with its anchors, and its dates and status codes stay texts", async () => {
    const { operations, problems } = await read(`# Notes
openapi: 3.0.1
info: { title: Notes, version: 2024-01-01 }
servers: [{ url: https://notes.example }]
paths:
  /notes:
    get:
      operationId: listNotes
      parameters:
        - &since { name: since, in: query, schema: { type: string, enum: [2024-01-01, yes] } }
      responses: { 200: { description: ok } }
    head: { operationId: countNotes, parameters: [*since] }
`);
    expect(problems).toEqual([]);
    expect(operations.map(({ id }) => id)).toEqual(["listNotes", "countNotes"]);
    expect(operations[1]?.parameters[0]?.schema).toEqual({ type: "string", enum: ["2024-01-01", "yes"] });
  });

  it.each(["a: [1", "just words", "!!js/function 'x'", "swagger: '1.2'", ""])(
    "that says nothing usable is refused: %j",
    async (text) => {
      await expect(read(text)).rejects.toThrow(/^the document is n/);
    },
  );
});

describe("a Swagger 2.0 document", () => {
  const swagger = {
    swagger: "2.0",
    host: "pets.example",
    basePath: "/v2",
    schemes: ["http", "https"],
    securityDefinitions: { login: { type: "basic" } },
    definitions: { Pet: { type: "object", required: ["name"], properties: { name: { type: "string" } } } },
    parameters: { Pet: { name: "pet", in: "body", required: true, schema: { $ref: "#/definitions/Pet" } } },
    paths: {
      "/pets/{id}": {
        parameters: [{ name: "id", in: "path", required: true, type: "integer" }],
        put: { operationId: "changePet", parameters: [{ $ref: "#/parameters/Pet" }] },
        get: {
          operationId: "getPet",
          parameters: [
            {
              name: "tags",
              in: "query",
              type: "array",
              items: { type: "string" },
              collectionFormat: "multi",
            },
            { name: "ids", in: "query", type: "array", items: { type: "integer" } },
          ],
        },
        post: {
          operationId: "formPet",
          parameters: [
            { name: "name", in: "formData", required: true, type: "string", description: "New" },
            { name: "ages", in: "formData", type: "array", items: { type: "integer" } },
          ],
        },
        patch: {
          operationId: "upload",
          parameters: [{ name: "file", in: "formData", required: true, type: "file" }],
        },
      },
    },
  };

  it("becomes tools like one of 3.0, with its address, key, bodies and forms", async () => {
    const { document, operations, problems } = await read(JSON.stringify(swagger));
    const entry = { name: "pets", openapi: "", effects: {}, auth: { env: "KEY" } };
    expect(baseUrlOf(entry, document).href).toBe("https://pets.example/v2");
    expect(credentialsOf(entry, document, operations, { KEY: "me:secret" }).headers).toEqual({
      authorization: "Basic bWU6c2VjcmV0",
    });
    const named = (id: string) => operations.find((one) => one.id === id);
    expect(named("changePet")?.body).toMatchObject({ required: true, schema: { required: ["name"] } });
    expect(request(named("changePet"), { id: 1, body: { name: "Rex" } })).toMatchObject({
      url: "https://api.example/pets/1",
      body: '{"name":"Rex"}',
    });
    expect(request(named("getPet"), { id: 1, tags: ["a", "b"], ids: [1, 2] }).url).toBe(
      "https://api.example/pets/1?tags=a&tags=b&ids=1,2",
    );
    const form = request(named("formPet"), { id: 1, body: { name: "A & B", ages: [1, 2] } });
    expect(form.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    expect(form.body).toBe("name=A%20%26%20B&ages=1,2");
    expect(problems).toEqual(["PATCH /pets/{id} is not offered: its body is neither JSON nor a form"]);
  });
});

it("writes a form's nested values in brackets where the document says so", async () => {
  const { operations } = await read(
    JSON.stringify({
      openapi: "3.0.0",
      paths: {
        "/charges": {
          post: {
            operationId: "charge",
            requestBody: {
              content: {
                "application/x-www-form-urlencoded": {
                  schema: { type: "object", properties: { metadata: { type: "object" }, to: {} } },
                  encoding: { items: { style: "deepObject", explode: true } },
                },
              },
            },
          },
        },
      },
    }),
  );
  const items = [{ price: "p1", with: { tax: 1 } }];
  expect(decodeURIComponent(request(operations[0], { body: { to: "Bob", items } }).body ?? "")).toBe(
    "to=Bob&items[0][price]=p1&items[0][with][tax]=1",
  );
});
