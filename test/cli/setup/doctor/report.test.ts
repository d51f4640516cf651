import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatBugReport, redact } from "../../../../src/cli/setup/doctor/report.ts";
import { processEnvironment } from "../../../../src/config/paths.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

describe("the report of doctor", () => {
  it("has versions, findings and settings, without keys and the home folder", async () => {
    const config = join(await temporaryFolder(), "c.json");
    const key = "sk-very-secret-0123456789";
    const upstreams = { a: { dialect: "messages", base_url: "http://127.0.0.1:1", api_key: key } };
    await writeFile(config, JSON.stringify({ proxy: { port: 9000, upstreams } }));
    const home = processEnvironment["HOME"] ?? "";
    const findings = [{ subject: "data directory", state: "ok", detail: `${home}/x | y ${key}` }] as const;
    const report = await formatBugReport(findings, { json: false, config });
    expect(report).toMatch(/^Sallyport \S+ \(package\), Node\.js v\d+/);
    expect(report).toContain("| data directory | ok | ~/x \\| y [redacted] |");
    expect(report).toMatch(/^port = 9000 {2}\(file:1\)$/m);
    expect(report).not.toContain(key);
  });

  it("reports why the configuration cannot be read", async () => {
    const config = join(await temporaryFolder(), "c.json");
    await writeFile(config, '{"proxy": {"prot": 1}}');
    expect(await formatBugReport([], { json: false, config })).toContain('Did you mean "port"?');
  });

  it("replaces the longest text first", () => {
    expect(
      redact(
        "/home/dev/dev",
        new Map([
          ["dev", "USER"],
          ["/home/dev", "~"],
        ]),
      ),
    ).toBe("~/USER");
  });
});
