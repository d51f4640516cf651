import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseConfiguration } from "../../src/config/load.ts";
import { fileSchema } from "../../src/config/proxy/schema.ts";

const deploy = resolve(import.meta.dirname, "../../deploy");
const read = (name: string) => readFileSync(join(deploy, name), "utf8");
const { proxy } = fileSchema.parse(parseConfiguration(read("config.jsonc"), "config.jsonc").value);
const graceSeconds = proxy.drain_delay + proxy.drain_timeout + 10;

interface Container {
  readonly ports: readonly { readonly containerPort: number }[];
  readonly [probe: string]: unknown;
}
interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly terminationGracePeriodSeconds: number; readonly containers: Container[] };
    };
  };
}

describe("the examples of deploy/", () => {
  it("wait for the running calls of a replica that stops", () => {
    const { spec } = (parse(read("kubernetes/deployment.yaml")) as Deployment).spec.template;
    expect(spec.terminationGracePeriodSeconds).toBe(graceSeconds);
    const compose = parse(read("compose.yaml"), { merge: true }) as {
      services: Record<string, { stop_grace_period?: string }>;
    };
    for (const name of ["sallyport-1", "sallyport-2"])
      expect(compose.services[name]?.stop_grace_period).toBe(`${graceSeconds}s`);
  });

  it("use the proxy's port and probes", () => {
    const [container] = (parse(read("kubernetes/deployment.yaml")) as Deployment).spec.template.spec
      .containers;
    expect(container?.ports[0]?.containerPort).toBe(proxy.port);
    expect(container?.["readinessProbe"]).toMatchObject({ httpGet: { path: "/readyz" } });
    expect(container?.["livenessProbe"]).toMatchObject({ httpGet: { path: "/healthz" } });
    expect(read("haproxy.cfg")).toContain("http-check send meth GET uri /readyz");
    for (const name of ["haproxy.cfg", "nginx.conf"])
      expect(read(name).match(/(?<=server.*)sallyport-\d:(\d+)/g)).toEqual(
        [1, 2].map((number) => `sallyport-${number}:${proxy.port}`),
      );
  });

  it("apply every file of deploy/kubernetes", () => {
    const { resources } = parse(read("kustomization.yaml")) as { resources: string[] };
    expect(resources.toSorted()).toEqual(
      readdirSync(join(deploy, "kubernetes"))
        .map((name) => `kubernetes/${name}`)
        .toSorted(),
    );
  });

  it("take every password from the environment", () => {
    expect(proxy.database_env).toBe("DATABASE_URL");
    expect(proxy.redis_env).toBe("REDIS_URL");
    for (const upstream of Object.values(proxy.upstreams ?? {}))
      expect(upstream.api_key).toEqual({ env: expect.any(String) });
  });
});
