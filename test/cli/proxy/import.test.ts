import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { run } from "../../../src/cli/run.ts";
import { recordOutput } from "../../support/record-output.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

afterEach(() => vi.unstubAllEnvs());

const CCR = JSON.stringify({
  Providers: [
    { name: "acme", api_base_url: "https://acme.example/v1/chat/completions", api_key: "k", models: ["m"] },
  ],
  Router: { default: "acme,m" },
});
const LITELLM = "model_list: [{ model_name: m, litellm_params: { model: openai/m } }]";

async function importFrom(...args: string[]) {
  const { output, results, notes } = recordOutput();
  const code = await run(["proxy", "import", ...args, "--json"], output);
  const program =
    results.length > 0 ? (JSON.parse(results[0] ?? "") as { program: string }).program : undefined;
  return { code, program, text: notes.join("\n") };
}

it("imports from a program by its name, or from a file whose program it recognizes", async () => {
  const home = await temporaryFolder();
  vi.stubEnv("HOME", home);
  vi.stubEnv("USERPROFILE", home);
  await mkdir(join(home, ".claude-code-router"));
  const [ccr, litellm] = [join(home, ".claude-code-router/config.json"), join(home, "litellm.yaml")];
  await writeFile(ccr, CCR);
  await writeFile(litellm, LITELLM);
  for (const args of [["ccr"], ["ccr", ccr], [ccr]])
    expect(await importFrom(...args)).toMatchObject({ code: 0, program: "claude-code-router" });
  for (const args of [["litellm", litellm], [litellm]])
    expect(await importFrom(...args)).toMatchObject({ code: 0, program: "LiteLLM" });

  expect(await importFrom("ccr", litellm)).toMatchObject({
    code: 2,
    text: expect.stringContaining("litellm.yaml is a configuration of LiteLLM, not of claude-code-router"),
  });
  expect(await importFrom("litellm")).toMatchObject({
    code: 2,
    text: expect.stringContaining("sallyport proxy import litellm config.yaml"),
  });
  expect(await importFrom("portkey", litellm)).toMatchObject({
    code: 2,
    text: expect.stringContaining("Use one of: ccr, litellm."),
  });
});
