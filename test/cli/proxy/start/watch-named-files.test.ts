import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { watchNamedFiles } from "../../../../src/cli/proxy/start/watch-named-files.ts";
import { proxySchema } from "../../../../src/config/proxy/schema.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

async function watch(key: object) {
  const calls: string[] = [];
  let wake = () => {};
  const reloaded = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const record = (call: string) => () => {
    calls.push(call);
    wake();
  };
  const named = watchNamedFiles("/", record("reload"), record("update"));
  onTestFinished(() => named.end());
  const upstream = { dialect: "messages", base_url: "https://a.example", api_keys: [key] };
  const settings = proxySchema.parse({ upstreams: { a: upstream } });
  named.watch(settings);
  return { named, settings, reloaded, calls };
}

it("a secret is read again when its file changes", async () => {
  const file = join(await temporaryFolder(), "key");
  await writeFile(file, "sk-before-0123456789");
  const { named, settings, reloaded, calls } = await watch({ file });
  await writeFile(file, "sk-after-9876543210");
  // The reload that the settings of the same files cause must not lose the change.
  named.watch(settings);
  await reloaded;
  expect(calls).toEqual(["reload"]);
});

it("the command of a secret runs again after its time to live", async () => {
  const { reloaded, calls } = await watch({ command: "true", ttl: 0.05 });
  await reloaded;
  expect(calls).toEqual(["update"]);
});
