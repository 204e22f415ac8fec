/** What we use of js-yaml, which has no types. */
declare module "js-yaml" {
  const JSON_SCHEMA: object;
  function load(text: string, options: { schema: object }): unknown;
}
