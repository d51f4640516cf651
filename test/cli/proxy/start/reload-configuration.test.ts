import { describe, expect, it } from "vitest";
import { reloadConfiguration } from "../../../../src/cli/proxy/start/reload-configuration.ts";
import type { ProxyConfig } from "../../../../src/config/proxy/config.ts";
import { fileSchema } from "../../../../src/config/proxy/schema.ts";
import { AppError } from "../../../../src/errors.ts";
import { configOf } from "../../../support/start-proxy.ts";

const before = configOf({ port: 8045 });

/** Reloads over `before`, and returns the result. */
async function reload(read: () => ProxyConfig, use: () => void = () => {}, newKey?: string) {
  const notes: string[] = [];
  const refused: string[] = [];
  const settings = fileSchema.parse({}).proxy;
  const inForce = { config: before, settings };
  const serving = {
    reload: async () => use(),
    noteRefused: (reason: string) => void refused.push(reason),
  };
  const loaded = { settings, path: "", file: undefined, getSource: () => "default" } as never;
  await reloadConfiguration(inForce, async () => ({ loaded, config: read(), newKey }), serving, {
    note: (text) => void notes.push(text),
  });
  return { notes: notes.join("\n"), refused, config: inForce.config };
}

describe("a reloaded configuration", () => {
  it("is in effect", async () => {
    const after = configOf({ port: 8045, strict_translation: true });
    expect(await reload(() => after)).toEqual({
      notes: "Configuration reloaded.",
      refused: [],
      config: after,
    });
  });

  it.each([{ port: 9000 }, { host: "127.0.0.2" }, { workers: 2 }])(
    "needs a start for %j",
    async (settings) => {
      expect((await reload(() => configOf(settings))).notes).toContain("at the next start");
    },
  );

  it("reports a key that was created for it", async () => {
    expect((await reload(() => before, undefined, "sk-made-just-now")).notes).toContain("sk-made-just-now");
  });

  it("changes nothing if it is invalid or cannot be applied, and states why", async () => {
    const wrong = () => {
      throw new AppError("configuration", "config.json:3: proxy.port: must be a number");
    };
    const unreadable = () => {
      throw new AppError("unreadable", "The key file cannot be read");
    };
    for (const [read, use, reason] of [
      [wrong, undefined, "config.json:3: proxy.port: must be a number"],
      [unreadable, undefined, "The key file cannot be read"],
      [() => configOf({ workers: 2 }), wrong, "config.json:3: proxy.port: must be a number"],
    ] as const)
      expect(await reload(read, use)).toEqual({
        notes: `Configuration not reloaded; the previous one stays in force. ${reason}`,
        refused: [reason],
        config: before,
      });
  });

  it("reports a defect of the program apart from an invalid file", async () => {
    const defect = () => {
      throw new TypeError("x is not a function");
    };
    expect((await reload(defect)).refused).toEqual(["internal error: x is not a function"]);
  });
});
