import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeReviewApi } from "../../../scripts/docs/review-api.mjs";
import { readTypeSchemas } from "../../../scripts/docs/type-schemas.mjs";
import { pageSource } from "../../../src/http/page-source.ts";
import { createInboxServer } from "../../../src/review/inbox/server.ts";
import { codeServer } from "../../support/code-server.ts";
import { FakePull } from "../../support/forges/fake-pull.ts";
import { planServer } from "../../support/plan-server.ts";
import { startPullReview } from "../../support/pull-review.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { testRepository } from "../../support/test-repository.ts";

/** Returns the routes of a server below `/api/`, in the form `GET /api/plan`. */
async function listRoutes(app: FastifyInstance): Promise<string[]> {
  await app.ready();
  const parents: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split("\n")
    .flatMap((line) => {
      const [, indent = "", part = "", methods = ""] = /^([│ ├└─]*)(\S+) \((.+)\)$/.exec(line) ?? [];
      const depth = indent.length / 4;
      const path = (parents[depth - 1] ?? "") + part.replace(/:(\w+)/g, "{$1}");
      parents[depth] = path;
      if (!path.startsWith("/api/")) return [];
      return methods.split(", ").flatMap((method) => (method === "HEAD" ? [] : [`${method} ${path}`]));
    });
}

/** Creates the servers of all kinds of reviews. */
async function createServers(): Promise<FastifyInstance[]> {
  const dataDirectory = await temporaryFolder();
  const source = pageSource(() => dataDirectory);
  const inbox = createInboxServer({ dataDirectory, source, onFailure: () => {} });
  onTestFinished(() => inbox.close());
  const { app: pull } = await startPullReview(new FakePull(), dataDirectory);
  return [(await planServer()).app, (await codeServer(await testRepository())).app, pull, inbox];
}

describe("the OpenAPI document of the review server", () => {
  it("has exactly the routes of the servers, with the types of their bodies and responses", async () => {
    const { paths, components } = describeReviewApi("1.2.3");
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = (await Promise.all((await createServers()).map(listRoutes))).flat();
    expect(described.sort()).toEqual([...new Set(served)].sort());
    const references = JSON.stringify(paths).match(/(?<=#\/components\/schemas\/)\w+/g) ?? [];
    expect(references.length).toBeGreaterThan(40);
    expect(references.filter((name) => components.schemas[name] === undefined)).toEqual([]);
  });
});

it("describes TypeScript types as JSON schemas", async () => {
  const file = join(await temporaryFolder(), "types.ts");
  await writeFile(
    file,
    `/** A base. */
export interface Base { readonly id: string; readonly kind: "a" | "b"; readonly old?: number }
export interface Derived extends Omit<Base, "old"> {
  /** Several
   *  lines. */
  readonly list?: readonly Base[] | undefined;
  readonly pair: readonly [first: 0 | 1, second: string | null];
  readonly more: Readonly<Record<string, unknown>>;
  readonly same: Base["kind"];
}
export type Either = /** One. */ | { readonly event: "x" } | ({ readonly event: "y" } & Base);
export type Chosen = Pick<Extract<Either, { event: "y" }>, "event" | "id">;
export interface Holder<Content = unknown> { readonly content: Content }
`,
  );
  const text = { type: "string" };
  const kind = { enum: ["a", "b"] };
  const base = { $ref: "#/components/schemas/Base" };
  expect(readTypeSchemas([file])).toEqual({
    Base: {
      ...{ description: "A base.", type: "object", properties: { id: text, kind, old: { type: "number" } } },
      required: ["id", "kind"],
    },
    Derived: {
      type: "object",
      properties: {
        ...{ id: text, kind, list: { description: "Several lines.", type: "array", items: base } },
        pair: {
          type: "array",
          prefixItems: [
            { title: "first", enum: [0, 1] },
            { title: "second", anyOf: [text, { type: "null" }] },
          ],
          items: false,
        },
        more: { type: "object", additionalProperties: {} },
        same: kind,
      },
      required: ["id", "kind", "pair", "more", "same"],
    },
    Either: {
      anyOf: [
        { description: "One.", type: "object", properties: { event: { const: "x" } }, required: ["event"] },
        {
          type: "object",
          properties: { event: { const: "y" }, id: text, kind, old: { type: "number" } },
          required: ["event", "id", "kind"],
        },
      ],
    },
    Chosen: {
      type: "object",
      properties: { event: { const: "y" }, id: text },
      required: ["event", "id"],
    },
    Holder: { type: "object", properties: { content: {} }, required: ["content"] },
  });
});
