import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfig } from "../src/app/config.ts";
import { filesIn, readText, readYaml, root, vendorSettings } from "./support/deploy.ts";

/** The parts of the manifests that the tests look at. Whether the whole fits Kubernetes' types, the first test checks. */
type Labels = Record<string, string>;
type Selector = { matchLabels?: Labels };
type Probe = { httpGet?: { path: string; port: string } };
interface Container {
  image?: string;
  args?: string[];
  envFrom?: object[];
  ports?: object[];
  volumeMounts?: { mountPath: string }[];
  lifecycle?: { preStop?: { exec?: { command?: string[] } } };
  livenessProbe?: Probe;
  startupProbe?: Probe;
  readinessProbe?: Probe;
  securityContext?: object;
}
interface Pod {
  terminationGracePeriodSeconds?: number;
  securityContext?: object;
  containers: Container[];
}
interface Deployment {
  metadata?: { name?: string };
  spec?: {
    selector: Selector;
    strategy?: { rollingUpdate?: object };
    template: { metadata?: { labels?: Labels }; spec?: Pod };
  };
}
type Service = { spec?: { selector?: Labels; ports?: { targetPort?: string }[] } };
type Backend = { service?: object };
type Ingress = { spec?: { rules?: { host?: string; http?: { paths: { backend: Backend }[] } }[] } };
type DisruptionBudget = { spec?: { selector?: Selector } };
interface Autoscaler {
  spec?: {
    scaleTargetRef: object;
    minReplicas?: number;
    metrics?: { pods?: { metric: { name: string } } }[];
  };
}

const types = join(root, "node_modules/kubernetes-types");
const lacksTypes = !existsSync(types) && !process.env.CI;
if (lacksTypes)
  process.stderr.write("kubernetes-types is not installed, so manifests are not checked with it\n");

const folder = "deploy/kubernetes";
const read = <Shape>(name: string) => readYaml<Shape>(`${folder}/${name}.yaml`);
const deployment = read<Deployment>("deployment");
const pod = deployment.spec?.template.spec;
const container = pod?.containers[0];
const settings = read<{ data?: Labels }>("config").data ?? {};
const secrets = read<{ stringData?: Labels }>("secret.example").stringData ?? {};
const labels = { "app.kubernetes.io/name": "tackle" };

/** Where each kind appears in the types that are generated from Kubernetes' own API description. */
const MODULES: Record<string, string> = {
  v1: "core/v1",
  "apps/v1": "apps/v1",
  "policy/v1": "policy/v1",
  "autoscaling/v2": "autoscaling/v2",
  "networking.k8s.io/v1": "networking/v1",
};

/** Lets the compiler check objects against Kubernetes' types: a wrong, missing or unknown field is an error. */
function problemsOf(objects: Record<string, object>): string[] {
  const place = mkdtempSync(join(tmpdir(), "tackle-manifests-"));
  try {
    for (const [name, value] of Object.entries(objects)) {
      const { apiVersion = "", kind = "" }: { apiVersion?: string; kind?: string } = value;
      const type = `import("kubernetes-types/${MODULES[apiVersion]}").${kind}`;
      writeFileSync(
        join(place, `${name}.ts`),
        `export const it: ${type} = ${JSON.stringify(value, null, 2)};\n`,
      );
    }
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: "esnext",
      module: "esnext",
      moduleResolution: "bundler",
      types: [],
      paths: { "kubernetes-types/*": [join(types, "*")] },
    };
    writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const { stdout, stderr } = spawnSync(process.execPath, [compiler, "-p", place], { encoding: "utf8" });
    expect(stderr).toBe("");
    return stdout.split("\n").filter((line) => /error TS/.test(line));
  } finally {
    rmSync(place, { recursive: true });
  }
}

it.skipIf(lacksTypes)(
  "fits Kubernetes' schemas, file by file, and kustomization.yaml lists the files",
  () => {
    const outside = ["kustomization", "secret.example", "prometheus-adapter"];
    const applied = ["", "journal/"].flatMap((part) => {
      const names = filesIn(`${folder}/${part}`)
        .filter((file) => file.endsWith(".yaml"))
        .map((file) => file.replace(/\.yaml$/, ""));
      const own = names.filter((name) => !outside.includes(name));
      const { resources } = read<{ resources: string[] }>(`${part}kustomization`);
      expect(resources.toSorted()).toEqual(own.map((name) => `${name}.yaml`).toSorted());
      return own.map((name) => part + name);
    });
    const checked = [...applied, "secret.example"];
    const named = (name: string) => name.replace("/", "-");
    expect(problemsOf(Object.fromEntries(checked.map((name) => [named(name), read<object>(name)])))).toEqual(
      [],
    );
  },
);

it("quotes question marks between braces, where a value ends for the YAML parser of kubectl", () => {
  const files = ["", "journal/"].flatMap((part) =>
    filesIn(`${folder}/${part}`).flatMap((file) => (file.endsWith(".yaml") ? [part + file] : [])),
  );
  const lines = files.flatMap((file) => readText(`${folder}/${file}`).split("\n"));
  expect(lines.filter((line) => /[{,] *[\w-]+: *[^"' {[][^"',}]*\?/.test(line))).toEqual([]);
});

it.skipIf(lacksTypes)("would notice a field that does not exist, is missing or has the wrong type", () => {
  const wrong = (change: object) => ({ ...deployment, spec: { ...deployment.spec, ...change } });
  const problems = problemsOf({
    unknown: wrong({ replica: 2 }),
    mistyped: wrong({ minReadySeconds: "ten" }),
    missing: { apiVersion: "policy/v1", kind: "PodDisruptionBudget", spec: { selector: { matchLabel: {} } } },
  });
  expect(problems.join("\n")).toContain(`'"replica"' does not exist`);
  expect(problems.join("\n")).toContain("Type 'string' is not assignable to type 'number'");
  expect(problems.join("\n")).toContain(`'"matchLabel"' does not exist`);
});

it("gives the pods settings that the server accepts, with every vendor's key, and nothing that is not documented", async () => {
  const env = { HOST: "0.0.0.0", TACKLE_DATA: tmpdir(), ...settings, ...secrets };
  const config = loadConfig({ env, cwd: tmpdir() });
  expect(config.databaseUrl).toContain("postgres://");
  expect(config.files.s3?.bucket).toBe("tackle");
  expect(config.requestLimits.costUsd?.guest).toBeLessThanOrEqual(1);
  expect(config.loop.maxCostUsd).toBeLessThanOrEqual(1);
  expect(Object.keys(secrets)).toEqual(expect.arrayContaining((await vendorSettings()).keys));
  const manual = readText("docs/settings.md");
  const named = Object.keys({ ...settings, ...secrets });
  expect(named.filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
  expect(container?.envFrom).toEqual([
    { configMapRef: { name: "tackle" } },
    { secretRef: { name: "tackle" } },
  ]);
});

it("waits for load balancers, drains, and only then kills a pod", () => {
  const [command, seconds] = container?.lifecycle?.preStop?.exec?.command ?? [];
  expect(command).toBe("sleep");
  const graceSeconds = Number(settings.TACKLE_GRACE_MS) / 1_000;
  const needed = Number(seconds) + graceSeconds;
  expect(needed).toBeGreaterThan(graceSeconds);
  expect(pod?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(needed + 5);
  expect(deployment.spec?.strategy?.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
});

it("asks whether a pod responds and whether it is ready at the server's own routes", () => {
  expect(container?.livenessProbe?.httpGet?.path).toBe("/healthz");
  expect(container?.startupProbe?.httpGet?.path).toBe("/healthz");
  expect(container?.readinessProbe?.httpGet?.path).toBe("/readyz");
  const port = container?.ports?.[0];
  expect(port).toEqual({ name: "http", containerPort: 8787 });
  for (const probe of [container?.livenessProbe, container?.startupProbe, container?.readinessProbe])
    expect(probe?.httpGet?.port).toBe("http");
});

it("joins its parts by the same names and labels", () => {
  expect(deployment.spec?.selector.matchLabels).toEqual(labels);
  expect(deployment.spec?.template.metadata?.labels).toEqual(labels);
  expect(read<Service>("service").spec?.selector).toEqual(labels);
  expect(read<Service>("service").spec?.ports?.[0]?.targetPort).toBe("http");
  expect(read<DisruptionBudget>("disruption-budget").spec?.selector?.matchLabels).toEqual(labels);
  const [rule] = read<Ingress>("ingress").spec?.rules ?? [];
  expect(rule?.http?.paths[0]?.backend.service).toEqual({ name: "tackle", port: { name: "http" } });
  expect(`https://${rule?.host}`).toBe(settings.TACKLE_PUBLIC_URL);
  const { scaleTargetRef, minReplicas, metrics } = read<Autoscaler>("autoscaler").spec ?? {};
  expect(scaleTargetRef).toEqual({
    apiVersion: "apps/v1",
    kind: "Deployment",
    name: deployment.metadata?.name,
  });
  expect(minReplicas).toBeGreaterThan(1);
  const name = metrics?.[0]?.pods?.metric.name ?? "";
  expect(name).toBe("tackle_sse_streams");
  const adapter = read<{ rules: { custom: { seriesQuery: string }[] } }>("prometheus-adapter");
  expect(adapter.rules.custom[0]?.seriesQuery).toMatch(new RegExp(`^${name}\\{`));
});

it("runs without privileges, on a file system that it cannot write to but for its data", () => {
  expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
  expect(container?.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  expect(readText("deploy/Dockerfile")).toMatch(/^USER 1000$/m);
  expect(container?.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual([
    "/data",
    "/tmp",
    "/app/node_modules/.cache",
  ]);
});

it("runs three nodes of the journal with the options of the Compose file, of which one at a time may be missing", () => {
  const nodes = read<Deployment & { spec: { replicas?: number } }>("journal/statefulset");
  const [node] = nodes.spec.template.spec?.containers ?? [];
  expect(nodes.spec.replicas).toBe(3);
  const { services } = readYaml<{ services: Record<string, { command: string; image: string }> }>(
    "deploy/compose.yaml",
  );
  const flags = (words: readonly string[]) =>
    words.filter((word) => word.startsWith("--")).map((word) => word.split("=")[0]);
  for (const number of [0, 1, 2]) {
    const { command = "", image } = services[`nats-${number}`] ?? {};
    expect(command).toContain(`--name nats-${number} `);
    expect(image).toBe(node?.image);
    const wanted = flags(node?.args ?? []).filter((flag) => flag !== "--pid");
    expect(flags(command.split(" ")).toSorted()).toEqual(wanted.toSorted());
  }
  const natsLabels = { "app.kubernetes.io/name": "nats" };
  expect(nodes.spec.template.metadata?.labels).toEqual(natsLabels);
  expect(read<Service>("journal/service").spec?.selector).toEqual(natsLabels);
  const budget = read<DisruptionBudget & { spec: { maxUnavailable?: number } }>("journal/disruption-budget");
  expect(budget.spec).toMatchObject({ maxUnavailable: 1, selector: { matchLabels: natsLabels } });
});
