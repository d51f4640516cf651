import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { TestRepository } from "./test-repository.ts";

const COMMAND = resolve(import.meta.dirname, "../../dist/sallyport.js");

/** An agent in the repository of a live review that `startCodeReview` started. */
export interface LiveAgent {
  /** Runs `sallyport review …` and returns its output. */
  run(...args: string[]): Promise<string>;
  /** Calls the review's server with the token of its running file. */
  call(method: string, path: string, body: unknown): Promise<unknown>;
}

export function liveAgent(repository: TestRepository): LiveAgent {
  const data = join(repository.outside, "data");
  const env = { ...repository.environment, TMPDIR: repository.outside, SERVICE_HOME: data };
  return {
    async run(...args) {
      const options = { cwd: repository.root, env };
      return (
        await promisify(execFile)(process.execPath, [COMMAND, "review", ...args], options)
      ).stdout.trim();
    },
    async call(method, path, body) {
      const [name = ""] = (await readdir(join(data, "running"))).filter((each) => each.endsWith(".json"));
      const { url, token } = JSON.parse(await readFile(join(data, "running", name), "utf8"));
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response.json();
    },
  };
}
