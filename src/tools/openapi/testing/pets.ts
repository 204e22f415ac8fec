/** A document with one of everything, in OpenAPI 3.1 or in the older form. */
export function petsDocument(server: string, version: "3.0.3" | "3.1.0" = "3.1.0") {
  const old = version === "3.0.3";
  return {
    openapi: version,
    info: { title: "Pets", version: "1" },
    servers: [{ url: `${server}/{stage}`, variables: { stage: { default: "v1" } } }],
    security: [{ key: [] }],
    paths: {
      "/pets": {
        get: {
          operationId: "listPets",
          summary: "All pets.",
          description: "Newest first.\u200b",
          parameters: [
            { $ref: "#/components/parameters/Limit" },
            { name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } },
            {
              name: "ids",
              in: "query",
              explode: false,
              schema: { type: "array", items: { type: "integer" } },
            },
            {
              name: "filter",
              in: "query",
              style: "deepObject",
              schema: { type: "object", properties: { a: { type: "string" } } },
            },
            { name: "X-Trace", in: "header", schema: { type: "string" } },
            { name: "Authorization", in: "header", schema: { type: "string" } },
          ],
        },
        post: {
          operationId: "addPet",
          requestBody: {
            required: true,
            content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
          },
        },
      },
      "/pets/{id}": {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        get: { operationId: "getPet", parameters: [{ name: "id", in: "query", schema: { type: "string" } }] },
        delete: { operationId: "removePet" },
      },
      "/odd/.{a}/x": {
        get: { parameters: [{ name: "a", in: "path", required: true, schema: { type: "string" } }] },
      },
      "/upload": {
        post: { operationId: "upload", requestBody: { required: true, content: { "image/png": {} } } },
      },
      "/missing/{what}": { get: { operationId: "missing" } },
    },
    components: {
      parameters: {
        Limit: { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100 } },
      },
      securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Pets-Key" } },
      schemas: {
        Pet: {
          type: "object",
          required: ["id", "name"],
          properties: {
            id: { type: "string", readOnly: true },
            name: { type: "string", pattern: "^(a+)+$" },
            age: old
              ? { type: "integer", nullable: true, minimum: 0, exclusiveMinimum: true }
              : { type: ["integer", "null"], exclusiveMinimum: 0 },
            parent: { $ref: "#/components/schemas/Pet" },
          },
        },
      },
    },
  };
}
