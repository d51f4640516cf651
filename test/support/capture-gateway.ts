import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Database, openDatabase } from "../../src/database/open-database.ts";
import { findCapture, saveCapture } from "../../src/proxy/gateway/captures.ts";
import type { Gateway, GatewayStore } from "../../src/proxy/gateway/gateway.ts";
import { createKeyDirectory } from "../../src/proxy/gateway/key-directory.ts";
import { sqliteWorkerFiles } from "./sqlite-worker.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Returns a gateway with a real SQLite database, and a function that reads captured bodies from it. */
export async function configuredGateway() {
  const path = join(await temporaryFolder(), "sallyport.db");
  const db: Database = await openDatabase({ engine: "sqlite", path }, sqliteWorkerFiles);
  onTestFinished(() => db.destroy());
  const directory = createKeyDirectory();
  directory.replace({ revision: 0, keys: [], secrets: [], teams: [], requiresKeys: false });
  const store = { saveCapture: (row) => saveCapture(db, row) } as Partial<GatewayStore> as GatewayStore;
  const gateway: Gateway = {
    directory,
    store: async () => store,
    state: () => ({ engine: "sqlite", status: "ok", reason: null }),
  };
  return { gateway, findCaptured: (id: string) => findCapture(db, id) };
}
