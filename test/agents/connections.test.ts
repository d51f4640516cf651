import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { InstallTarget } from "../../src/agents/agent.ts";
import { changesToInstall, changesToUninstall } from "../../src/agents/file-edits/changes.ts";
import { createReceiptStore } from "../../src/agents/file-edits/receipts.ts";
import { forgetReceipts, writeChanges } from "../../src/agents/file-edits/write-changes.ts";
import { proxyClients } from "../../src/agents/registry.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { oddSettings } from "./odd-settings.ts";

/** Runs `proxy connect` and `disconnect` on files, as the command does. */
const connection = { url: "http://127.0.0.1:8045", key: "key-0123456789", ownLogin: false, models: ["m-1"] };
const writing = await Promise.all(
  proxyClients
    .filter(({ proxy }) => proxy.writesFiles)
    .map(async ({ id, proxy }) => ({ id, ...(await proxy.load()) })),
);

function targetIn(home: string): InstallTarget {
  return { home, command: "sallyport", argv: ["sallyport"], environment: {} };
}

describe.each(writing.map((connector) => [connector.id, connector] as const))("%s", (_id, connector) => {
  const on = (home: string) => {
    const edits = connector.edits(targetIn(home), connection);
    const receipts = createReceiptStore(join(home, "data"));
    return {
      paths: edits.map(({ path }) => path),
      async connect() {
        const changes = await changesToInstall(edits, receipts);
        await writeChanges(changes, receipts);
        return changes.length;
      },
      async disconnect() {
        await writeChanges(await changesToUninstall(edits, receipts), receipts);
        await forgetReceipts(
          edits.map(({ path }) => path),
          receipts,
        );
      },
    };
  };

  it("is connected from nothing, once, and leaves nothing behind", async () => {
    const home = await temporaryFolder();
    const { connect, disconnect, paths } = on(home);
    expect(await connect()).toBe(paths.length);
    expect(await connect()).toBe(0);
    await disconnect();
    expect((await readdir(home)).filter((name) => name !== "data")).toEqual([]);
    expect(await readdir(join(home, "data"))).toEqual([]);
  });

  const sharesJson = on("/").paths.some((path) => path.endsWith(".json"));
  it.each(sharesJson ? oddSettings : [])("gives back byte for byte: %s", async (_name, text) => {
    const home = await temporaryFolder();
    const { connect, disconnect, paths } = on(home);
    const files = paths.filter((path) => path.endsWith(".json"));
    for (const path of files) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    await connect();
    for (const path of files) expect(await readFile(path, "utf8")).not.toBe(text);
    await disconnect();
    for (const path of files) expect(await readFile(path, "utf8")).toBe(text);
  });
});
