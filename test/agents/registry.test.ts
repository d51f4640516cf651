import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import {
  agents,
  listedIds,
  proxyClients,
  reviewedAgentNamed,
  reviewedAgents,
} from "../../src/agents/registry.ts";
import { createProgram } from "../../src/cli/program.ts";

const silent = { note: () => {}, result: async () => true, interactive: false, lostResult: false };

describe("the registry of agents", () => {
  it("knows each id once", () => {
    const ids = agents.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("gives every agent something to do", () => {
    expect(agents.filter(({ install, proxy }) => !install && !proxy)).toEqual([]);
    expect(agents.filter(({ hook, install }) => hook && !install)).toEqual([]);
  });

  it("reports for each client whether its settings are files", async () => {
    const target = { home: "/", command: "sallyport", argv: ["sallyport"], environment: {} };
    const connection = { url: "http://localhost:1", key: "key", ownLogin: false, models: [] };
    for (const { id, proxy } of proxyClients) {
      const { edits } = await proxy.load();
      expect([id, edits(target, connection).length > 0]).toEqual([id, proxy.writesFiles]);
    }
  });
});

describe("the ids of the registry", () => {
  const program = createProgram(silent, () => {});
  const argumentOf = (...path: string[]) =>
    path.reduce((command, name) => command.commands.find((each) => each.name() === name) ?? command, program)
      .registeredArguments[0]?.description;

  it("are in the help of install and uninstall", () => {
    expect(argumentOf("install")).toBe(listedIds(reviewedAgents));
    expect(argumentOf("uninstall")).toBe(listedIds(reviewedAgents));
  });

  it("are in the help of proxy connect, and of proxy disconnect where files are written", () => {
    expect(argumentOf("proxy", "connect")).toBe(listedIds(proxyClients));
    expect(argumentOf("proxy", "disconnect")).toBe(
      listedIds(proxyClients.filter(({ proxy }) => proxy.writesFiles)),
    );
  });

  it("are in the message about an unknown agent", () => {
    expect(() => reviewedAgentNamed("nobody")).toThrow(
      expect.objectContaining({
        hint: expect.stringContaining(reviewedAgents.map(({ id }) => id).join(", ")),
      }),
    );
  });

  it("are in docs/agents.md, each agent's name in its table", () => {
    const text = readFileSync(resolve(import.meta.dirname, "../../docs/agents.md"), "utf8");
    for (const { id } of agents) expect(text).toContain(id);
    const header = text.split("\n").find((line) => line.startsWith("| |")) ?? "";
    for (const { name } of reviewedAgents) expect(header).toContain(name);
  });
});
