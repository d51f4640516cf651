import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createMetrics } from "../../../src/proxy/observability/metrics.ts";
import { metricsText } from "../../../src/proxy/observability/metrics-text.ts";
import { readableLine } from "../../../src/proxy/observability/readable-line.ts";
import { type CallRecord, recordLine } from "../../../src/proxy/observability/request-log.ts";
import { createRotatingFile } from "../../../src/proxy/observability/rotating-file.ts";

let folder = "";
afterEach(() => folder && rmSync(folder, { recursive: true, force: true }));

const record: CallRecord = {
  time: "2026-11-21T14:02:11.000Z",
  id: "req_1",
  key: "laptop",
  client: "127.0.0.1",
  method: "POST",
  route: "/v1/messages",
  model: "alias",
  upstream: "anthropic",
  upstreamModel: "claude-a",
  status: 200,
  ms: 1234,
  firstByteMs: 321,
  stream: true,
  retries: 1,
  usage: { input: { total: 1200, cacheRead: 1000 }, output: { total: 34 } },
  cost: 0.0123,
  losses: [{ code: "top-k", detail: "" }],
  errorMessage: undefined,
};

describe("the request log", () => {
  it("complaint 23: never exceeds the size of its files, and is readable only by its owner", async () => {
    folder = mkdtempSync(join(tmpdir(), "proxy-log-"));
    const path = join(folder, "deep", "requests.ndjson");
    const file = createRotatingFile(
      path,
      () => ({ maxFile: 1000, files: 3 }),
      (error) => {
        throw error;
      },
    );
    for (let line = 0; line < 40; line += 1) {
      file.write(`${line} ${"x".repeat(95)}`);
      await file.close();
    }
    const names = readdirSync(join(folder, "deep")).toSorted();
    expect(names).toEqual(["requests.ndjson", "requests.ndjson.1", "requests.ndjson.2"]);
    for (const name of names) {
      const entry = statSync(join(folder, "deep", name));
      expect(entry.size).toBeLessThanOrEqual(1000);
      expect(entry.mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(path, "utf8")).toContain("39 xxx");
  });

  it("splits a batch only between lines when a file is full", async () => {
    folder = mkdtempSync(join(tmpdir(), "proxy-log-"));
    const path = join(folder, "requests.ndjson");
    const file = createRotatingFile(
      path,
      () => ({ maxFile: 1000, files: 9 }),
      (error) => {
        throw error;
      },
    );
    const lines = Array.from({ length: 40 }, (_, line) => `${line} ${"x".repeat(line === 7 ? 1500 : 95)}`);
    for (const line of lines) file.write(line);
    await file.close();
    const names = readdirSync(folder).toSorted().toReversed();
    const texts = [...names.filter((name) => /\d$/.test(name)), "requests.ndjson"].map((name) =>
      readFileSync(join(folder, name), "utf8"),
    );
    expect(texts.join("")).toBe(`${lines.join("\n")}\n`);
    for (const text of texts) {
      expect(text.endsWith("\n")).toBe(true);
      expect(text.length <= 1000 || text === `${lines[7]}\n`).toBe(true);
    }
  });

  it("reports a failing disk once, and continues", async () => {
    folder = mkdtempSync(join(tmpdir(), "proxy-log-"));
    const inTheWay = join(folder, "file");
    writeFileSync(inTheWay, "");
    const errors: unknown[] = [];
    const file = createRotatingFile(
      join(inTheWay, "x"),
      () => ({ maxFile: 1000, files: 2 }),
      (error) => errors.push(error),
    );
    for (let line = 0; line < 3; line += 1) {
      file.write("x");
      await file.close();
    }
    expect(errors.length).toBe(1);
  });

  it("reports a second failure after a success, and starts a new line after an incomplete one", async () => {
    folder = mkdtempSync(join(tmpdir(), "proxy-log-"));
    const path = join(folder, "logs", "x");
    const errors: unknown[] = [];
    const file = createRotatingFile(
      path,
      () => ({ maxFile: 1000, files: 2 }),
      (error) => errors.push(error),
    );
    const write = async (line: string) => {
      file.write(line);
      await file.close();
    };
    const block = () => {
      rmSync(join(folder, "logs"), { recursive: true, force: true });
      writeFileSync(join(folder, "logs"), "in the way");
    };
    block();
    await write("lost");
    await write("lost");
    rmSync(join(folder, "logs"));
    mkdirSync(join(folder, "logs"));
    writeFileSync(path, "whole\nhalf");
    await write("first");
    await write("second");
    expect(readFileSync(path, "utf8")).toBe("whole\nhalf\nfirst\nsecond\n");
    expect(errors.length).toBe(1);
    block();
    await write("lost");
    expect(errors.length).toBe(2);
  });

  it("has a call as one line of JSON and as one for people", () => {
    expect(JSON.parse(recordLine(record))).toMatchObject({
      model: "alias",
      tokens: { input: 1200, cache_read: 1000, output: 34 },
      losses: ["top-k"],
    });
    expect(readableLine(record)).toBe(
      "14:02:11  200    1.2s  POST /v1/messages  alias → anthropic as claude-a  first byte 321ms  1.2k + 34 tokens  $0.0123  1 retries  lost: top-k",
    );
  });

  it("exports calls, tokens and seconds to Prometheus", () => {
    const metrics = createMetrics();
    metrics.begin();
    metrics.begin();
    metrics.end(record);
    const text = metricsText(metrics.counts());
    expect(metrics.active).toBe(1);
    expect(text).toContain("sallyport_active_calls 1");
    expect(text).toMatch(/gen_ai_client_token_usage_total\{.*gen_ai_token_type="input"\} 1200/);
    expect(text).toMatch(/^sallyport_cost_usd_total\{.*\} 0.0123$/m);
    expect(text).toMatch(/gen_ai_server_request_duration_seconds_bucket\{.*le="1"\} 0/);
    expect(text).toMatch(/gen_ai_server_request_duration_seconds_bucket\{.*le="2.5"\} 1/);
  });

  it("counts no unknown cost, and adds costs without rounding errors", () => {
    const metrics = createMetrics();
    metrics.end({ ...record, cost: undefined });
    expect(metricsText(metrics.counts())).not.toMatch(/^sallyport_cost_usd_total\{/m);
    for (let call = 0; call < 10; call += 1) metrics.end({ ...record, cost: 0.1 });
    expect(metricsText(metrics.counts())).toMatch(/^sallyport_cost_usd_total\{.*\} 1$/m);
    expect(metrics.counts().series[0]).toMatchObject({
      calls: 11,
      priced: 10,
      unpriced: 1,
      cacheRead: 11_000,
    });
  });

  it("limits the number of series that clients can create", () => {
    const metrics = createMetrics();
    for (let number = 0; number < 2000; number += 1) {
      metrics.begin();
      metrics.end({ ...record, upstreamModel: `m${number}` });
    }
    const series = metricsText(metrics.counts()).match(/^sallyport_calls_total\{/gm)?.length ?? 0;
    expect(series).toBeLessThanOrEqual(501);
    // A name that is known by then is still counted under its own name.
    metrics.end({ ...record, upstreamModel: "m7" });
    expect(metrics.counts().series.find(({ model }) => model === "m7")?.calls).toBe(2);
  });
});
